"""Generate the synchronous client from the asynchronous one: python tools/make_sync_client.py

Reads the tokens of the asynchronous files, drops `async` and `await`, and replaces names that have a
synchronous twin.
"""

import re
import subprocess
import sys
import tokenize
from io import StringIO
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "src" / "askance" / "service" / "client"
FILES = {
    CLIENT / "asynchronous.py": CLIENT / "synchronous.py",
    CLIENT / "asynchronous_requests.py": CLIENT / "synchronous_requests.py",
    CLIENT / "asynchronous_reviews.py": CLIENT / "synchronous_reviews.py",
    CLIENT / "asynchronous_tokens.py": CLIENT / "synchronous_tokens.py",
}
HEADER = "# Generated from {name} by tools/make_sync_client.py: edit that file, and run the tool.\n"
DROPPED = ("async", "await")
NAMES = {
    "AsyncBaseTransport": "BaseTransport",
    "AsyncClient": "Client",
    "AsyncIterator": "Iterator",
    "AsyncRequests": "Requests",
    "AsyncReviews": "Reviews",
    "AsyncTokens": "Tokens",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
    "asynchronous_requests": "synchronous_requests",
    "asynchronous_reviews": "synchronous_reviews",
    "asynchronous_tokens": "synchronous_tokens",
    "asyncio": "time",
}
TEXTS = {
    "The asynchronous client. The synchronous client is generated from this file.": "The synchronous client.",
    "An asynchronous client of the service.": "A client of the service.",
    ", asynchronously. The synchronous twin is generated from this file.": ".",
}


def synchronous(path: Path) -> str:
    """The synchronous twin of a module."""
    source = path.read_text(encoding="utf-8")
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    lines = source.splitlines(keepends=True)
    parts, row, column = [], 1, 0
    for token in tokens:
        parts.append(_between(lines, (row, column), token.start))
        row, column = token.end
        if token.type == tokenize.NAME and token.string in DROPPED:
            column += 1  # the space after the word
        else:
            parts.append(_replaced(token))
    return formatted(HEADER.format(name=path.name) + "".join(parts))


def _replaced(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return NAMES.get(token.string, token.string)
    if token.type != tokenize.STRING:
        return token.string
    text = token.string
    for asynchronous, other in TEXTS.items():
        text = text.replace(asynchronous, other)
    text = re.sub(r"\b(?:async|await) ", "", text)
    return re.sub(r"\w+", lambda word: NAMES.get(word[0], word[0]), text)


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two tokens: spaces, and line ends that are joined."""
    if end[0] > len(lines):
        return ""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    first, *rest = lines[start[0] - 1 : end[0]]
    return first[start[1] :] + "".join(rest[:-1]) + rest[-1][: end[1]]


def formatted(source: str) -> str:
    """The source with sorted imports and the layout of the repository."""
    for command in (["check", "--select=I,UP037", "--fix"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--quiet", f"--stdin-filename={CLIENT / 'any.py'}", "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True).stdout
    return source


if __name__ == "__main__":
    for source, target in FILES.items():
        target.write_text(synchronous(source), encoding="utf-8")
