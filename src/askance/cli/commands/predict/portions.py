"""The rows that a model predicts, some at a time, with a progress bar."""

from collections.abc import Iterator
from contextlib import ExitStack

from askance.cli.output.progress import progress, shares
from askance.data.model_rows import ModelRows, Portion


def numbered(rows: ModelRows, title: str, *, is_quiet: bool) -> Iterator[tuple[int, Portion]]:
    """Yield portions with the number of their first row. A quiet terminal shows no progress beside them."""
    with ExitStack() as stack:
        report = (lambda _share: None) if is_quiet else shares(stack.enter_context(progress(title)))
        first = 0
        for portion in rows.portions():
            yield first, portion
            first += portion.X.shape[0]
            report(portion.progress)
