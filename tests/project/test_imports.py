"""Imports point one way: a package imports only what lies below it, and no modules import each other in a circle.

Every import counts, also those inside functions and those for type checkers alone.
"""

import ast
import functools
import pathlib
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import askance

PACKAGE = pathlib.Path(askance.__file__).parent
# From the lowest floor up. What stands on one floor does not import each other, except as ALLOWED says.
FLOORS = (
    ("_util", "errors", "typing"),
    ("jit",),
    ("rules",),
    ("engine",),
    ("metrics",),
    ("annotators",),
    ("plotting",),
    ("data",),
    ("datasets",),
    ("learners",),
    ("auto",),
    ("multilabel",),
    ("algorithms",),
    ("pool", "semi_supervised", "ratings", "theory"),
    ("fleet",),
    ("distributed",),
    ("experiments",),
    ("persistence",),
    ("export",),
    ("service",),
    ("cli",),
)
HEIGHTS = {name: height for height, floor in enumerate(FLOORS) for name in floor}
ALLOWED = {("_util", "errors"), ("_util", "typing")}
ROOT_MODULES = {"__init__", "__main__", "errors", "typing"}
# The package file hands out names from everywhere, and `python -m askance` starts the command line.
ABOVE_ALL = {"askance", "askance.__main__"}


class Import(NamedTuple):
    """A line that imports a module of this package."""

    importer: str
    line: int
    imported: str

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: pathlib.Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
PACKAGES = {name for name, path in FILES.items() if path.name == "__init__.py"}


def _imports() -> Iterator[Import]:
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (Import(name, node.lineno, alias.name) for alias in node.names if is_ours(alias.name))
            elif isinstance(node, ast.ImportFrom):
                yield from (Import(name, node.lineno, target) for target in targets(name, node))


def is_ours(name: str) -> bool:
    return name.partition(".")[0] == "askance"


def targets(importer: str, node: ast.ImportFrom) -> Iterator[str]:
    """The modules that `from … import …` loads: names may be modules, or stand in one."""
    source = node.module or ""
    if node.level:
        here = importer if importer in PACKAGES else importer.rpartition(".")[0]
        above = here.split(".")[: len(here.split(".")) - node.level + 1]
        source = ".".join([*above, *([node.module] if node.module else [])])
    if is_ours(source):
        for alias in node.names:
            whole = f"{source}.{alias.name}"
            if whole != "askance.__version__":
                yield whole if whole in FILES else source


@functools.cache  # and not when the file is imported: every process does that, one runs the tests
def imports() -> tuple[Import, ...]:
    """All imports of this package within itself."""
    return tuple(dict.fromkeys(_imports()))


def floor_of(module: str) -> str:
    """The package or root module that a module belongs to."""
    return f"{module}.".split(".")[1]


def points_up(one: Import) -> bool:
    importer, imported = floor_of(one.importer), floor_of(one.imported)
    if one.importer in ABOVE_ALL or importer == imported or (importer, imported) in ALLOWED:
        return False
    return imported == "" or HEIGHTS[imported] >= HEIGHTS[importer]


def test_every_module_has_its_floor() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} <= ROOT_MODULES
    assert {path.name for path in PACKAGE.iterdir() if any(path.rglob("*.py"))} <= set(HEIGHTS)


def test_no_import_points_up() -> None:
    up = [str(one) for one in imports() if points_up(one)]
    assert not up, "\n".join(["imports that point up:", *up])


def test_every_import_leads_to_a_module() -> None:
    lost = [str(one) for one in imports() if one.imported not in FILES]
    assert not lost, "\n".join(["imports of modules that are not there:", *lost])


def circles() -> list[list[str]]:
    """The sets of modules of which each reaches each other by imports."""
    graph = {name: {one.imported for one in imports() if one.importer == name} & set(FILES) for name in FILES}
    reached = {name: closure(graph, name) for name in FILES}
    together = {frozenset(other for other in reached[name] if name in reached[other]) for name in FILES}
    return sorted(sorted(circle) for circle in together if circle)


def closure(graph: dict[str, set[str]], start: str) -> set[str]:
    """All that can be reached from a module in one step or more."""
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(graph[name])
    return found


def test_no_modules_import_each_other_in_a_circle() -> None:
    found = [" <-> ".join(circle) for circle in circles()]
    assert not found, "\n".join(["circles:", *found])


# ---------------------------------------------------------------------- the test itself can fail


@pytest.mark.parametrize(
    ("importer", "imported", "up"),
    [
        ("askance.rules.costs", "askance.jit.bits", False),
        ("askance.rules.costs", "askance.engine", True),
        ("askance.errors", "askance.typing", True),
        ("askance._util.memory", "askance.errors", False),
        ("askance.pool.loop", "askance.ratings", True),
        ("askance.engine.machine", "askance", True),
        ("askance.__main__", "askance.cli.app", False),
    ],
)
def test_arrows(importer: str, imported: str, up: bool) -> None:
    assert points_up(Import(importer, 1, imported)) == up
