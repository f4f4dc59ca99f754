"""Mistakes in rules from outside the package, in one sentence that names the rule."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from askance.jit.source_digest import is_ours

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Numba tells the innermost call first: "BoundFunction((<class ...>, 'ask') for Near(float64 x 1))".
CALL = re.compile(r"BoundFunction\(\(.*?, '(\w+)'\) for (\w+)\(")
NO_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type (\w+)")
NO_NAME = re.compile(r"NameError: (?:global )?name '(\w+)' is not defined")
PLACE = re.compile(r'File "[^"]*?([^"/\\]+)", line (\d+):')


def own_query(query: Any) -> type | None:
    """Return the class of a query rule, or of the first rule inside it, that is not ours; None if all are."""
    while query is not None:
        if not is_ours(type(query)):
            return type(query)
        query = getattr(query, "inner", None)
    return None


def check_probabilities(rule: type | None, probabilities: Any) -> None:
    """Raise ValueError if a rule of the user's own has returned NaN as the probability of asking."""
    if rule is None:
        return
    missing = np.isnan(np.atleast_1d(probabilities))
    if missing.any():
        row = "" if len(missing) == 1 else f" for row {int(np.argmax(missing))}"
        raise ValueError(f"{rule.__name__}.ask returned nan{row}: it must return a probability, from 0 to 1")


def not_compiled(error: Exception, classes: Iterable[type]) -> TypeError:
    """Return an error that says which method of the classes, one of which is not ours, numba cannot compile."""
    own = {one.__name__: one for one in classes if not is_ours(one)}
    text = COLOUR.sub("", str(error))
    name, called = next(
        ((name, called) for called, name in CALL.findall(text) if name in own), (" or ".join(own), "")
    )
    method = f"{name}.{called}" if called else name
    # Methods of rules are known to numba by name, and come before the fields of any rule.
    hidden = called in getattr(own.get(name), "_fields", ())
    cause = "a method of askance's rules has the same name: rename it" if hidden else _cause(text)
    return TypeError(f"{method} could not be compiled: {cause}")


def _cause(text: str) -> str:
    """Return the cause that the text of numba's error has, or where to look for it."""
    if found := NO_ATTRIBUTE.search(text):
        return f"{found[1]!r} is not an attribute of {found[2]}"
    if found := NO_NAME.search(text):
        return f"the name {found[1]!r} is not defined: import or define it"
    if "\n" not in text.strip():
        return text.strip()
    place = PLACE.search(text)
    where = f"see line {place[2]} of {place[1]}, and " if place else ""
    return f"{where}see numba's error, which is the cause of this one"
