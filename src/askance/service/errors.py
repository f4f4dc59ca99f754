"""Errors of requests: a status, a code for programs and a message for people."""

from askance.errors import AskanceError


class RequestError(AskanceError):
    """A request that was refused; nothing was changed."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


def invalid(message: str) -> RequestError:
    """422: well-formed, but not valid."""
    return RequestError(422, "invalid", message)


def not_found(code: str, message: str) -> RequestError:
    """404: the named thing does not exist."""
    return RequestError(404, code, message)


def conflict(code: str, message: str) -> RequestError:
    """409: not possible in the current state."""
    return RequestError(409, code, message)
