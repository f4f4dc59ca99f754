"""What pages load: styles, modules and translations, under an address that changes when one of them does."""

import gzip
import hashlib
from importlib import resources
from typing import NamedTuple

from starlette.responses import Response

from askance.service.api.route import Call
from askance.service.errors import not_found

KINDS = {"css": "text/css", "js": "text/javascript", "json": "application/json", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    packed: bytes
    media: str


def _assets(folder: str) -> dict[str, Asset]:
    files = sorted(resources.files("askance.service.web").joinpath(folder).iterdir(), key=lambda file: file.name)
    found = {}
    for file in files:
        content = file.read_bytes()
        media = KINDS[file.name.rpartition(".")[2]]
        found[file.name] = Asset(content, gzip.compress(content, mtime=0), f"{media}; charset=utf-8")
    return found


ASSETS = _assets("static")
CATALOGUES = _assets("catalogues")  # of which a page loads one, or none
_all = {**ASSETS, **CATALOGUES}
DIGEST = hashlib.sha256(b"".join(name.encode() + asset.content for name, asset in _all.items())).hexdigest()[:16]
ADDRESS = f"/assets/{DIGEST}"


async def asset(call: Call) -> Response:
    """Send a style sheet, a module, a picture or a catalogue."""
    name = call.request.path_params["name"]
    found = _all.get(name)
    if found is None or call.request.path_params["digest"] != DIGEST:
        raise not_found("unknown_path", f"there is no file {name[:40]!r}")
    packs = "gzip" in call.request.headers.get("accept-encoding", "")
    headers = {"cache-control": FOREVER, "vary": "accept-encoding", "x-content-type-options": "nosniff"}
    if packs:
        headers["content-encoding"] = "gzip"
    return Response(found.packed if packs else found.content, media_type=found.media, headers=headers)
