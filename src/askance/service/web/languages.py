"""The languages of the pages: which there are, which one a reader gets, and its words.

The English text is the key of its translation, so an English page needs no catalogue. Where one text has two
meanings, a bar and a word after it tell them apart, as in `Label|verb`; readers do not see them.
"""

import functools
import json
from collections.abc import Mapping
from importlib import resources

from markupsafe import Markup, escape
from starlette.requests import Request

DEFAULT = "en"
NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "zh": "简体中文", "ar": "العربية"}
RIGHT_TO_LEFT = ("ar",)
COOKIE = "askance_language"  # a page sets it, so it has no prefix
ISOLATED = "\u2068{}\u2069"


class Words:
    """The words of a page in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
        self._catalogue = catalogue(language)

    def __call__(self, text: str, **holes: object) -> Markup:
        """A text in this language, with its holes filled; all that is not markup is escaped."""
        said = escape(self._catalogue.get(text) or text.partition("|")[0])
        return said.format(**{name: self._in(value) for name, value in holes.items()})

    def _in(self, value: object) -> object:
        """A name from left to right would otherwise move the words around it."""
        return ISOLATED.format(value) if self.direction == "rtl" and type(value) is str else value


def words_for(request: Request) -> Words:
    """The words in the language that the reader chose, or else the browser."""
    return _words(language_of(request.cookies.get(COOKIE, ""), request.headers.get("accept-language", "")))


def language_of(chosen: str, accepted: str) -> str:
    """The language that was chosen, or the first of those accepted (a header Accept-Language) that there is."""
    if chosen in NAMES:
        return chosen
    wanted = [_weighted(part) for part in accepted.split(",")]
    known = [(weight, name) for weight, name in wanted if name in NAMES and weight > 0]
    return max(known, key=lambda one: one[0])[1] if known else DEFAULT


def _weighted(part: str) -> tuple[float, str]:
    """A part such as `de-AT;q=0.8` as its weight and its language."""
    tag, _, weight = part.partition(";")
    name = tag.strip().partition("-")[0].lower()
    try:
        return float(weight.strip().removeprefix("q=") or 1), name
    except ValueError:
        return 0.0, name


@functools.cache
def _words(language: str) -> Words:
    return Words(language)


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """The translations of a language by their English texts. Those of pages have no plurals."""
    if language == DEFAULT:
        return {}
    found = resources.files("askance.service.web").joinpath("catalogues", f"{language}.json").read_text("utf-8")
    return {text: said for text, said in json.loads(found).items() if isinstance(said, str)}
