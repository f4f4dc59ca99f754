"""What is wrong with a message or with settings, in a sentence instead of the words of msgspec."""

import re

import msgspec

TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
UNITS = {"str": ("text", "characters"), "array": ("a list", "values"), "object": ("an object", "entries")}
BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
# The beginning of a pattern, and what matches it.
PATTERNS = {
    "^[a-z0-9][a-z0-9_-]": "lower-case letters, digits, - and _, such as churn-1",
    "^[^\\x00-\\x1f": "text without line breaks",
    "^[^\\s": "one visible character",
}
_PLACE = re.compile(r" - at `(key in )?\$\.?(.*)`$")
_SIZE = re.compile(r"Expected `(\w+)` of length (>=|<=|==) (\d+)")
_LIMIT = re.compile(r"Expected `(\w+)` (>=|<=|>|<) (\S+)")
_TYPE = re.compile(r"Expected `([\w |]+)`(?:, got `(\w+)`)?")
_PATTERN = re.compile(r"Expected `str` matching regex '(.*)'")
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`")


def sentence_of(error: msgspec.ValidationError) -> str:
    """What is wrong, with the place: "budget.rate must be a number or null, not text"."""
    told = str(error)
    place = _PLACE.search(told)
    where = place[2] if place else ""
    told = _PLACE.sub("", told)
    if field := _FIELD.fullmatch(told):
        name = ".".join(filter(None, (where, field[2])))
        return f"there is no field {name}" if "unknown" in field[1] else f"the field {name} is missing"
    subject = where or "the value"
    rule = _rule(told)
    return f"{subject} must be {rule}" if rule else f"{subject}: {told}"


def _rule(told: str) -> str | None:
    """What a value must be; None if msgspec says something else."""
    if found := _SIZE.fullmatch(told):
        kind, units = UNITS[found[1]]
        bound = BOUNDS.get(found[2], "exactly")
        return f"{kind} of {bound} {found[3]} {units}"
    if found := _LIMIT.fullmatch(told):
        return f"{TYPES[found[1]]}, {BOUNDS[found[2]]} {found[3]}"
    if found := _PATTERN.fullmatch(told):
        pattern = found[1].replace("\\\\", "\\")
        return next((words for start, words in PATTERNS.items() if pattern.startswith(start)), None)
    if found := _TYPE.fullmatch(told):
        wanted = " or ".join(TYPES.get(each, each) for each in found[1].split(" | "))
        return wanted if found[2] is None else f"{wanted}, not {TYPES.get(found[2], found[2])}"
    return None
