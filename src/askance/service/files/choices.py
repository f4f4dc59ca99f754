"""What somebody says of the columns of a file."""

from typing import NamedTuple


class ColumnChoices(NamedTuple):
    """Which columns of a file hold what, as far as somebody says so; the others are guessed.

    With `labelled`, every row has a label. `kinds` has pairs of a column and its kind: category, number or date.
    """

    labelled: bool = False
    text: str | None = None
    label: str | None = None
    id: str | None = None
    drop: tuple[str, ...] = ()
    vector: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
