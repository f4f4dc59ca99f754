"""Images of items: addresses elsewhere, and images that are kept in the store under their digest."""

from urllib.parse import quote, urlsplit

from msgspec import UNSET, UnsetType

from askance.service.settings import TaskSettings
from askance.service.store.entries import DIGEST

LARGEST = 500_000  # bytes: with its item, in base64, it fits into a line of a stream
HTTPS = ":443"

# By the first bytes, and nothing else. SVG is not among them: it is a document that may contain scripts.
BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def type_of(content: bytes) -> str | None:
    """The media type of an image; None if it is none that is shown."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((found for beginning, found in BEGINNINGS.items() if content.startswith(beginning)), None)


def is_kept(image: str) -> bool:
    """Whether what an entry says of its image is the name of one in the store."""
    return image.startswith(DIGEST)


def address_of(settings: TaskSettings, item: int, image: str) -> str:
    """Where browsers find the image of an item: elsewhere, or below the address of this service."""
    return f"/api/tasks/{quote(settings.name)}/items/{item}/image" if is_kept(image) else image


def host_of(address: str) -> str:
    """The host of an image elsewhere, with its port if that is not the usual one."""
    return urlsplit(address).netloc.lower().removesuffix(HTTPS)


def refusal(settings: TaskSettings, address: str | UnsetType, content: bytes | UnsetType) -> str | None:
    """Why an item cannot have this image, in one sentence; None if it can."""
    if address is not UNSET and content is not UNSET:
        return "it has both image and image_data: give one of the two"
    if content is not UNSET and len(content) > LARGEST:
        return f"its image has {len(content):,} bytes: at most {LARGEST:,} are allowed"
    if content is not UNSET and type_of(content) is None:
        return "its image is not a PNG, JPEG, GIF or WebP file: convert it"
    allowed = {host.removesuffix(HTTPS) for host in settings.interface.image_hosts}
    if address is not UNSET and host_of(address) not in allowed:
        return (
            f"images of the host {host_of(address)!r} are not allowed in this task: "
            "add it to interface.image_hosts, or leave the image out"
        )
    return None
