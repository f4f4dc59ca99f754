"""What pages load: styles and modules, under an address that changes when one of them does."""

import asyncio
import functools
import gzip
import hashlib
import subprocess
import sys
import threading
from importlib import resources
from importlib.metadata import version
from typing import NamedTuple

from starlette.responses import Response

from askance.service.api.route import Call
from askance.service.errors import not_found

KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    packed: bytes
    media: str


def _assets() -> dict[str, Asset]:
    files = sorted(resources.files("askance.service.web").joinpath("static").iterdir(), key=lambda file: file.name)
    found = {}
    for file in files:
        content = file.read_bytes()
        media = KINDS[file.name.rpartition(".")[2]]
        found[file.name] = Asset(content, gzip.compress(content, mtime=0), f"{media}; charset=utf-8")
    return found


ASSETS = _assets()
CHARTS = "vega.js"
_CONTENTS = b"".join(name.encode() + asset.content for name, asset in ASSETS.items())
DIGEST = hashlib.sha256(_CONTENTS + version("vl-convert-python").encode()).hexdigest()[:16]
ADDRESS = f"/assets/{DIGEST}"
_PUT_TOGETHER = """import sys, vl_convert
sys.stdout.buffer.write(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())
"""


_putting_together = threading.Lock()


def charts() -> Asset:
    """The library of the charts, put together once, however many ask for it at the same time."""
    with _putting_together:
        return _charts()


@functools.cache
def _charts() -> Asset:
    """Vega, Vega-Lite and what embeds them in a page, as vl-convert ships them; put together in two seconds.

    In a process of its own, because in this one nothing else would run in that time.
    """
    command = [sys.executable, "-c", _PUT_TOGETHER]
    content = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return Asset(content, gzip.compress(content, mtime=0), f"{KINDS['js']}; charset=utf-8")


async def asset(call: Call) -> Response:
    """A style sheet, a module or a picture."""
    name = call.request.path_params["name"]
    found = await asyncio.to_thread(charts) if name == CHARTS else ASSETS.get(name)
    if found is None or call.request.path_params["digest"] != DIGEST:
        raise not_found("unknown_path", f"there is no file {name[:40]!r}")
    packs = "gzip" in call.request.headers.get("accept-encoding", "")
    headers = {"cache-control": FOREVER, "vary": "accept-encoding", "x-content-type-options": "nosniff"}
    if packs:
        headers["content-encoding"] = "gzip"
    return Response(found.packed if packs else found.content, media_type=found.media, headers=headers)
