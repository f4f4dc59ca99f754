"""What the page loads: its own files, and the look of the pages of the service."""

from importlib import resources
from typing import NamedTuple

# The folders have the names of packages, but their files are only read.
FOLDERS = {
    "askance.cli.commands.label.web": ("page.html", "page.css", "page.js"),
    "askance.service.web": ("askance.css", "label.css", "askance.svg", "theme.js", "dom.js"),
}
PACKAGES = {name: package for package, names in FOLDERS.items() for name in names}
MEDIA = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    media: str


def asset(name: str) -> Asset | None:
    """A file that the page loads; None if it has none of this name."""
    if name not in PACKAGES:
        return None
    content = resources.files(PACKAGES[name]).joinpath("static", name).read_bytes()
    return Asset(content, f"{MEDIA[name.rpartition('.')[2]]}; charset=utf-8")
