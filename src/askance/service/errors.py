"""Refusals: what a request was wrong about, as a status, a word for programs and a sentence for people."""


class Refusal(Exception):
    """A request that changes nothing, because of what it says or of how things stand."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


def unfit(message: str) -> Refusal:
    """What was said cannot be meant."""
    return Refusal(422, "unfit", message)


def unknown(code: str, message: str) -> Refusal:
    """There is no such thing."""
    return Refusal(404, code, message)


def conflict(code: str, message: str) -> Refusal:
    """It could be done, but not as things stand."""
    return Refusal(409, code, message)
