"""The errors of clients: what the service refused, or why there was no answer."""

import httpx
import msgspec

from askance.errors import ServiceError
from askance.service.messages import ErrorResponse

NO_TOKEN = "the service requires a token: set the environment variable ASKANCE_TOKEN, or pass token="
UNREACHABLE, LOST, CUT_OFF, UNREADABLE = "unreachable", "answer_lost", "cut_off", "unreadable"


def service_error(status: int, content: bytes) -> ServiceError:
    """The error in an answer of the service."""
    response = error_response(content)
    if response is None:
        return ServiceError(
            f"the answer has status {status} but did not come from askance: check the URL",
            status,
        )
    message = NO_TOKEN if response.error.code == "no_token" else response.error.message
    return ServiceError(message, status, response.error.code)


def error_response(content: bytes) -> ErrorResponse | None:
    """The error response of the service; None if the answer came from elsewhere, such as a proxy."""
    try:
        return msgspec.json.decode(content, type=ErrorResponse)
    except msgspec.DecodeError:
        return None


def unreachable(url: str, error: httpx.TransportError) -> ServiceError:
    """There is no answer."""
    return ServiceError(
        f"{url}: there is no answer ({_reason(error)}): start the service with `askance serve`, or check the URL",
        code=UNREACHABLE,
    )


def lost(url: str, error: httpx.TransportError) -> ServiceError:
    """The answer to a request that must not be sent twice was lost."""
    return ServiceError(
        f"{url}: the answer was lost ({_reason(error)}), but the request may have worked: check before you retry",
        code=LOST,
    )


def cut_off(url: str, count: int, error: httpx.TransportError, unit: str = "lines") -> ServiceError:
    """A stream was cut off."""
    return ServiceError(
        f"{url}: the answer was cut off after {count} {unit} ({_reason(error)}): ask again", code=CUT_OFF
    )


def unreadable(url: str, error: Exception) -> ServiceError:
    """The answer has an unknown format."""
    return ServiceError(
        f"{url}: cannot read the answer ({_reason(error)}): use the same version of askance on both sides",
        code=UNREADABLE,
    )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
