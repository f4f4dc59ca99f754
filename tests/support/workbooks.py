"""XLSX workbooks for tests."""

import io
from collections.abc import Iterable
from typing import Any

from needs import missing


def book_of(*rows: Iterable[Any], more_sheets: Iterable[str] = ()) -> bytes:
    """A workbook with these rows in its first sheet."""
    try:
        import openpyxl
    except ImportError:
        missing("XLSX", "openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([*row])
    for name in more_sheets:
        book.create_sheet(name).append(["other"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
