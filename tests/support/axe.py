"""axe-core, which looks for barriers in a page. It is no part of the project: `make test` has npm fetch it."""

from pathlib import Path
from typing import Any

from needs import missing

SCRIPT = Path(__file__).parents[2] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
LOOK = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id} at ${target.join(" ")}: ${failureSummary}`));
}"""


def script() -> str:
    """The source of axe-core."""
    if not SCRIPT.exists():
        missing("the search for barriers in pages", "npm, with which `make test` fetches axe-core")
    return SCRIPT.read_text()


def barriers(page: Any) -> list[str]:
    """What keeps people out of a page as it stands, be it minor or critical."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(script())
    return page.evaluate(LOOK)
