"""Refusals: what a request was wrong about, as a status, a word for programs and a sentence for people."""


class RequestError(Exception):
    """A request that changes nothing, because of what it says or of how things stand."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


def invalid(message: str) -> RequestError:
    """What was said cannot be meant."""
    return RequestError(422, "invalid", message)


def unknown(code: str, message: str) -> RequestError:
    """There is no such thing."""
    return RequestError(404, code, message)


def conflict(code: str, message: str) -> RequestError:
    """It could be done, but not as things stand."""
    return RequestError(409, code, message)
