"""Numbers and dates as people write them: `1.234,50`, `$1,234.50`, `12 %`, `31.12.2025`, `12/31/2025 2:30 PM`."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from re import ASCII, IGNORECASE
from re import compile as pattern
from typing import Any

PLAIN = ""  # 1234.5 and 2025-12-31
DECIMAL_COMMA, DECIMAL_POINT = "decimal comma", "decimal point"
DAY_FIRST, MONTH_FIRST = "day first", "month first"
OF_NUMBERS, OF_DATES = (DECIMAL_POINT, DECIMAL_COMMA), (MONTH_FIRST, DAY_FIRST)

# All spaces, apostrophes and minus signs in the form that the patterns know.
_as_typed = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-"})


def _number_pattern(point: str, group: str) -> Callable[[str], Any]:
    """Digits in groups of three or without groups, with a unit before them or behind."""
    unit = "[$€£¥%]"
    whole = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|[1-9]\d{{0,2}}(?: \d{{3}})+|[1-9]\d{{0,2}}(?:'\d{{3}})+|\d+"
    digits = rf"(?P<whole>{whole})?(?:{point}(?P<rest>\d*))?"
    return pattern(rf"(?P<sign>[-+]?)(?:{unit} ?)?(?P<inner>[-+]?){digits}(?: ?{unit})?", ASCII).fullmatch


_number_in = {DECIMAL_POINT: _number_pattern(r"\.", ","), DECIMAL_COMMA: _number_pattern(",", r"\.")}

# A year of two digits only behind slashes: 1.2.13 is rather a version.
_date_in = pattern(
    r"(\d{1,2})(?:([./-])(\d{1,2})\2(\d{4})|/(\d{1,2})/(\d{2}))"
    r"(?:,? +(\d{1,2}):(\d{2})(?::\d{2}(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?)?)?",
    ASCII | IGNORECASE,
).fullmatch
LAST_OF_TWO_DIGITS = 68  # 1/1/68 is in 2068 and 1/1/69 in 1969, as POSIX has it


def written_number(text: str, notation: str) -> float | None:
    """The number that a text is in a notation; None if it is none."""
    found = _number_in[notation](text.strip().translate(_as_typed))
    if found is None or not (found["whole"] or found["rest"]) or (found["sign"] and found["inner"]):
        return None
    whole = "".join(filter(str.isdigit, found["whole"] or "0"))
    return float(f"{found['sign']}{found['inner']}{whole}.{found['rest'] or 0}")


def written_date(text: str, notation: str) -> date | None:
    """The date that a text is in a notation, with its time if it has one; None if it is none."""
    found = _date_in(text.strip())
    if found is None:
        return None
    first, second = int(found[1]), int(found[3] or found[5])
    day, month = (first, second) if notation == DAY_FIRST else (second, first)
    try:
        if found[7] is None:
            return date(_year(found), month, day)
        return datetime(_year(found), month, day, _hour(int(found[7]), found[9]), int(found[8]))
    except ValueError:
        return None


def _year(found: Any) -> int:
    if found[4]:
        return int(found[4])
    return int(found[6]) + (2000 if int(found[6]) <= LAST_OF_TWO_DIGITS else 1900)


def _hour(hour: int, half: str | None) -> int:
    """The hour of a day; ValueError if half a day has no such hour."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError("hour")
    return hour % 12 + 12 * (half in "pP")


def _texts(values: Sequence[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def notation_of_numbers(values: Sequence[Any]) -> str | None:
    """The notation of all texts among some values; None if they have none in common.

    `1,250` could be read both ways, and counts as 1250. Numbers with several points and no comma are addresses.
    """
    texts = _texts(values)
    for notation in OF_NUMBERS:
        if texts and all(written_number(text, notation) is not None for text in texts):
            return notation if notation == DECIMAL_POINT or any("," in text for text in texts) else None
    return None


def notation_of_dates(values: Sequence[Any]) -> str | None:
    """The notation of all texts among some values; None if they have none in common.

    Where both would do, the part with more different values is the day.
    """
    texts = _texts(values)
    if not texts:
        return None
    fitting = [each for each in OF_DATES if all(written_date(text, each) is not None for text in texts)]
    if len(fitting) < len(OF_DATES):
        return fitting[0] if fitting else None
    parts = [_date_in(text.strip()) for text in texts]
    first = len({found[1] for found in parts if found})
    second = len({found[3] or found[5] for found in parts if found})
    if first != second:
        return DAY_FIRST if first > second else MONTH_FIRST
    return MONTH_FIRST if all("/" in text for text in texts) else DAY_FIRST
