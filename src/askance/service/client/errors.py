"""What the service refused, or why there was no answer, in one sentence."""

import httpx
import msgspec

from askance.service.messages import Refused

UNREACHABLE, LOST, CUT_OFF, UNREADABLE = "unreachable", "answer_lost", "cut_off", "unreadable"


class ServiceFault(ValueError):
    """A request that came to nothing; `status` is None where nobody answered, `code` is a word for programs."""

    def __init__(self, message: str, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def refusal(status: int, content: bytes) -> ServiceFault:
    """What the service said was wrong."""
    said = own_words(content)
    if said is None:
        return ServiceFault(
            f"the answer was {status} without a reason, so it did not come from askance: check the address",
            status,
        )
    return ServiceFault(said.error.message, status, said.error.code)


def own_words(content: bytes) -> Refused | None:
    """The service's refusal, unless somebody else spoke, such as a proxy."""
    try:
        return msgspec.json.decode(content, type=Refused)
    except msgspec.DecodeError:
        return None


def unreachable(url: str, error: httpx.TransportError) -> ServiceFault:
    """Nobody there."""
    return ServiceFault(
        f"{url}: there is no answer ({_reason(error)}): start it with `askance serve`, or check the address",
        code=UNREACHABLE,
    )


def lost(url: str, error: httpx.TransportError) -> ServiceFault:
    """Something that must not be sent twice, and may have been done."""
    return ServiceFault(
        f"{url}: the answer was lost ({_reason(error)}), so it may have been done: look before you try again",
        code=LOST,
    )


def cut_off(url: str, lines: int, error: httpx.TransportError) -> ServiceFault:
    """An answer of many lines that broke off."""
    return ServiceFault(
        f"{url}: the answer was cut off after {lines} lines ({_reason(error)}): ask again", code=CUT_OFF
    )


def unreadable(url: str, error: Exception) -> ServiceFault:
    """An answer of another form."""
    return ServiceFault(
        f"{url}: cannot read the answer ({_reason(error)}): use the same version of askance on both sides",
        code=UNREADABLE,
    )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
