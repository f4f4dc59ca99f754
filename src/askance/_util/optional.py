"""Optional packages: one sentence says what is missing and how to install it."""

import importlib
from types import ModuleType


def require(module: str, extra: str | None, why: str) -> ModuleType:
    """Import an optional package.

    Parameters
    ----------
    module : str
        The name to import, such as "pyarrow".
    extra : str or None
        The extra of askance that installs it, such as "parquet"; None if no extra does.
    why : str
        What needs it, as the subject of the sentence: "Parquet".

    Returns
    -------
    module
        The imported package.

    Raises
    ------
    ImportError
        If the package cannot be imported. The message names the command that installs it.

    Examples
    --------
    >>> require("json", None, "this example").dumps([1])
    '[1]'
    >>> require("no_such_package", "parquet", "Parquet")
    Traceback (most recent call last):
        ...
    ImportError: Parquet needs no_such_package: pip install 'askance[parquet]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        command = f"pip install 'askance[{extra}]'" if extra else f"pip install {module}"
        raise ImportError(f"{why} needs {module}: {command}") from error
