"""axe-core, which looks for barriers in a page. It is no part of the project: `make test` fetches it into build/.

As a file from the npm registry, because npm itself is some four hundred packages of a Debian machine.
"""

import base64
import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import Any

VERSION = "4.14.0"
ADDRESS = f"https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz"
SHA512 = (
    "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="  # as npm has it
)
SCRIPT = Path(__file__).parents[1] / "build" / "axe.min.js"
LOOK = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id} at ${target.join(" ")}: ${failureSummary}`));
}"""


def script() -> str:
    """The source of axe-core."""
    if not SCRIPT.exists():
        from needs import missing

        missing("the search for barriers in pages", "axe-core: run `make build/axe.min.js`")
    return SCRIPT.read_text()


def barriers(page: Any) -> list[str]:
    """What keeps people out of a page as it stands, be it minor or critical."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(script())
    return page.evaluate(LOOK)


def fetch() -> None:
    """Get the file that tests look for, if it is the right one."""
    with urllib.request.urlopen(ADDRESS, timeout=60) as answer:
        packed = answer.read()
    if base64.b64encode(hashlib.sha512(packed).digest()).decode() != SHA512:
        sys.exit(f"{ADDRESS} is not the file that it was")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        content = archive.extractfile("package/axe.min.js")
        assert content is not None
        SCRIPT.parent.mkdir(parents=True, exist_ok=True)
        SCRIPT.write_bytes(content.read())


if __name__ == "__main__":
    fetch()
