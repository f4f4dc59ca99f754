"""The code in pages of the documentation."""

import pathlib
import re


def python_blocks(page: pathlib.Path) -> list[str]:
    """The blocks of Python of a page, in their order."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
