"""References as databases of literature export them: RIS, and nbib as PubMed writes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from re import Match
from re import compile as pattern
from typing import Any, NamedTuple

from askance.data.files import TextLines, shown
from askance.data.tables import Record
from askance.errors import DataError

TEXT, BLANK = "(text)", ""  # what lines without a tag have in place of one
LISTED = "KW"  # EndNote writes further keywords into lines without a tag
BETWEEN = "; "
# Of these columns, only this part of a value is taken: of 2019/05//, the year.
PARTS = {"year": pattern(r"[0-9]{4}").search, "doi": pattern(r"10\.[0-9.]+/\S+").search}
_is_tag = pattern(r"[A-Z][A-Z0-9]{1,3}").fullmatch


class ReferenceFormat(NamedTuple):
    """How references are written.

    Attributes
    ----------
    tag : callable
        Matches a line with a tag, and finds the tag and what is behind it.
    first, last : str
        The tags of the first and last lines of a reference. In nbib, a blank line is the last one.
    columns : mapping of str to str
        The tags of each column. The first one with a value counts; `+` joins those that count together.
    advice : str
        What to do about a line that is outside of references.
    """

    tag: Callable[[str], Match[str] | None]
    first: str
    last: str
    columns: Mapping[str, str]
    advice: str


RIS = ReferenceFormat(
    pattern(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*))?").fullmatch,
    "TY",
    "ER",
    {
        "title": "TI T1 CT BT",
        "abstract": "AB N2",
        "keywords": "KW",
        "authors": "AU A1",
        "year": "PY Y1 DA",
        "journal": "JF T2 JO JA J2",
        "doi": "DO",
        "type": "TY",
        "id": "ID AN",
    },
    "begin each reference with a line 'TY  - '",
)
NBIB = ReferenceFormat(
    pattern(r"(?=.{4}-)([A-Z]{2,4}) *-(?: (.*))?").fullmatch,
    "PMID",
    BLANK,
    {
        "title": "TI BTI",
        "abstract": "AB",
        "keywords": "OT+MH",
        "authors": "FAU AU",
        "year": "DP",
        "journal": "JT TA",
        "doi": "LID AID",
        "type": "PT",
        "id": "PMID",
    },
    "begin each reference with a line 'PMID- ', and further lines of a value with spaces",
)
REFERENCES = {"ris": RIS, "nbib": NBIB}


@dataclass
class _Reference:
    """The values of a reference by their tags, each as the texts of its lines."""

    line: int
    values: dict[str, list[list[str]]] = field(default_factory=dict)
    latest: str = ""

    def add(self, tag: str, text: str) -> None:
        """Add a line."""
        if tag == TEXT and self.latest != LISTED:
            self.values[self.latest][-1].append(text)
            return
        self.latest = self.latest if tag == TEXT else tag
        self.values.setdefault(self.latest, []).append([text])

    def cell(self, column: str, tags: str) -> str:
        """The cell of a column that has these tags."""
        for together in tags.split():
            lines = [value for tag in together.split("+") for value in self.values.get(tag, ())]
            values = [value for value in (" ".join(filter(None, texts)) for texts in lines) if value]
            if column in PARTS:
                values = [found[0] for value in values if (found := PARTS[column](value))][:1]
            if values:
                return BETWEEN.join(values)
        return ""


def reference_records(lines: TextLines, kind: str, wanted: Iterable[Any] = ()) -> Iterator[Record]:
    """The references as the rows of a table, beginning with its header. Each has the line where it begins.

    Tags that are `wanted`, such as C1, have columns of their own.
    """
    form, count = REFERENCES[kind], 0
    columns = {**form.columns, **{tag: tag for tag in wanted if isinstance(tag, str) and _is_tag(tag)}}
    yield Record(1, list(columns))
    for count, found in enumerate(_references(lines, form), 1):  # noqa: B007 - the last count is needed
        yield Record(found.line, [found.cell(column, tags) for column, tags in columns.items()])
    if not count:
        raise DataError(f"{lines.path}: has no references: {form.advice}")


def _references(lines: TextLines, form: ReferenceFormat) -> Iterator[_Reference]:
    found: _Reference | None = None
    for line in lines:
        tag, text = _tagged(line, form)
        if found is not None and tag in (form.first, form.last):
            _check_end(lines, form, found, tag)
            yield found
            found = None
        if tag == form.first:
            found = _Reference(lines.number)
        if tag in (BLANK, form.last):
            continue
        if _is_misplaced(line, tag, form, inside=found is not None):
            raise DataError(
                f"{lines.path}, line {lines.number}: {shown(line.strip())} is not in a reference: {form.advice}"
            )
        if found is not None:
            found.add(tag, text)
    if found is not None:
        _check_end(lines, form, found, BLANK)
        yield found


def _tagged(line: str, form: ReferenceFormat) -> tuple[str, str]:
    """The tag of a line, and the text behind it."""
    found = form.tag(line.rstrip())
    if found is not None:
        return found[1], (found[2] or "").strip()
    text = line.strip()
    return (TEXT if text else BLANK), text


def _check_end(lines: TextLines, form: ReferenceFormat, found: _Reference, tag: str) -> None:
    """Raise DataError for a reference in RIS that was cut off."""
    if form is RIS and tag != form.last:
        raise DataError(
            f"{lines.path}, line {found.line}: the reference that begins here has no last line 'ER  - ': "
            "add it, or export the file again"
        )


def _is_misplaced(line: str, tag: str, form: ReferenceFormat, *, inside: bool) -> bool:
    """Whether a line belongs to no reference. Around those in RIS, some databases write about themselves."""
    if tag != TEXT:
        return not inside
    return form is not RIS and not (inside and line[0].isspace())
