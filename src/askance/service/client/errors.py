"""What the service refused, or why there was no answer, in one sentence."""

import httpx
import msgspec

from askance.errors import ServiceError
from askance.service.messages import Refused

UNREACHABLE, LOST, CUT_OFF, UNREADABLE = "unreachable", "answer_lost", "cut_off", "unreadable"


def refusal(status: int, content: bytes) -> ServiceError:
    """What the service said was wrong."""
    said = own_words(content)
    if said is None:
        return ServiceError(
            f"the answer was {status} without a reason, so it did not come from askance: check the address",
            status,
        )
    return ServiceError(said.error.message, status, said.error.code)


def own_words(content: bytes) -> Refused | None:
    """The service's refusal, unless somebody else spoke, such as a proxy."""
    try:
        return msgspec.json.decode(content, type=Refused)
    except msgspec.DecodeError:
        return None


def unreachable(url: str, error: httpx.TransportError) -> ServiceError:
    """Nobody there."""
    return ServiceError(
        f"{url}: there is no answer ({_reason(error)}): start it with `askance serve`, or check the address",
        code=UNREACHABLE,
    )


def lost(url: str, error: httpx.TransportError) -> ServiceError:
    """Something that must not be sent twice, and may have been done."""
    return ServiceError(
        f"{url}: the answer was lost ({_reason(error)}), so it may have been done: look before you try again",
        code=LOST,
    )


def cut_off(url: str, lines: int, error: httpx.TransportError) -> ServiceError:
    """An answer of many lines that broke off."""
    return ServiceError(
        f"{url}: the answer was cut off after {lines} lines ({_reason(error)}): ask again", code=CUT_OFF
    )


def unreadable(url: str, error: Exception) -> ServiceError:
    """An answer of another form."""
    return ServiceError(
        f"{url}: cannot read the answer ({_reason(error)}): use the same version of askance on both sides",
        code=UNREADABLE,
    )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
