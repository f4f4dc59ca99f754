"""The words of the pages: which messages templates and modules have, and which words have no translation."""

import ast
import functools
import json
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import jinja2
from jinja2 import nodes

WEB = Path(__file__).parents[2] / "src" / "askance" / "service" / "web"
TRANSLATE = ("t", "pieces")
HOLE = re.compile(r"\{(\w+)\}")
WORD = re.compile(r"[A-Za-z]{2,}")


class Message(NamedTuple):
    """A text in English with the place where it is used; `other` of one that depends on a number."""

    key: str
    place: str
    forms: tuple[str, ...] = ()  # the plural categories

    @property
    def holes(self) -> set[str]:
        return set(HOLE.findall(self.key))


@functools.cache
def messages() -> list[Message]:
    """Every message of every page."""
    return [
        *(message for path in sorted(WEB.glob("templates/*.html")) for message in of_template(path)),
        *(message for path in sorted(WEB.glob("*.py")) for message in of_python(path)),
        *(message for path in sorted(WEB.glob("static/*.js")) for message in script(path).messages),
    ]


def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    found: dict[str, str | dict[str, str]] = json.loads(
        (WEB / "catalogues" / f"{language}.json").read_text("utf-8")
    )
    return found


# ---------------------------------------------------------------------- templates


def of_template(path: Path) -> Iterator[Message]:
    for call in _translated(jinja2.Environment().parse(path.read_text("utf-8"))):
        text = call.args[0]
        assert isinstance(text, nodes.Const), f"{path.name}:{call.lineno}: the text must be written in the call"
        yield Message(text.value, f"{path.name}:{call.lineno}")


def _translated(tree: nodes.Node) -> list[nodes.Call]:
    calls = tree.find_all(nodes.Call)
    return [call for call in calls if isinstance(call.node, nodes.Name) and call.node.name == "_"]


def untranslated_in_template(path: Path) -> Iterator[str]:
    """Words that a template shows as they are: between tags, in attributes, and in its expressions."""
    tree = jinja2.Environment().parse(path.read_text("utf-8"))
    page = _Visible()
    classes = [block for block in tree.find_all(nodes.Block) if block.name == "width"]
    not_read = {id(output) for block in classes for output in block.find_all(nodes.Output)}
    for output in (one for one in tree.find_all(nodes.Output) if id(one) not in not_read):
        for part in output.nodes:
            page.feed(part.data if isinstance(part, nodes.TemplateData) else "…")
    yield from (f"{path.name}: {text}" for text in page.texts if WORD.search(text))
    known = {id(one) for call in _translated(tree) for one in call.find_all(nodes.Const)}
    for constant in tree.find_all(nodes.Const):
        if isinstance(constant.value, str) and id(constant) not in known and _is_prose(constant.value):
            yield f"{path.name}:{constant.lineno}: {constant.value}"


class _Visible(HTMLParser):
    """What is read of a page."""

    ATTRIBUTES = ("alt", "aria-label", "label", "placeholder", "title")
    CODE = ("code", "kbd", "pre", "script", "style")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value or "" for name, value in attrs if name in self.ATTRIBUTES]
        if tag in self.CODE:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.texts.append(data.strip())


def of_python(path: Path) -> Iterator[Message]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_":
            text = node.args[0]
            assert isinstance(text, ast.Constant), (
                f"{path.name}:{node.lineno}: the text must be written in the call"
            )
            yield Message(str(text.value), f"{path.name}:{node.lineno}")


# ---------------------------------------------------------------------- modules


class Token(NamedTuple):
    kind: str  # name, text, or the character itself
    value: str
    line: int


class Frame(NamedTuple):
    """An open bracket: what is called with it, and the argument or the property where we are."""

    bracket: str
    callee: str
    argument: int = 0
    key: str = ""


SKIPPED = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
NAME = re.compile(r"[\w$#]+")
STRING = re.compile(r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'""")
REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
BEFORE_REGEX = ("", "(", ",", "=", ":", "[", "!", "&", "|", "?", "{", "}", ";", ">", "return")
CLOSING = {")": "(", "]": "[", "}": "{"}
# Calls that write on the page, with those of their arguments that are read; and calls that take names of elements.
ALL = range(99)
WRITES = {"el": ALL[2:], "at": ALL[1:], "notify": ALL[:1], "announce": ALL, "append": ALL, "replaceChildren": ALL}
WRITES |= {"confirmed": ALL, "figure": ALL}
SELECTS = ("closest", "matches", "querySelector", "querySelectorAll", "setProperty")
READ = ("aria-label", "title", "placeholder", "data-label", "alt")
NOT_READ = ("class", "type", "d", "viewBox", "href", "id", "role", "content-type", "text-anchor", "pattern")


class Script:
    """A module of the pages: its messages, and its words without a translation."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.messages: list[Message] = []
        self.untranslated: list[str] = []
        self._stack: list[Frame] = []
        self._plurals: list[dict[str, str]] = []
        self._walk(list(_tokens(path.read_text("utf-8"))))

    def _walk(self, tokens: list[Token]) -> None:
        for place, token in enumerate(tokens):
            before = tokens[place - 1] if place else Token("", "", 0)
            after = tokens[place + 1] if place + 1 < len(tokens) else Token("", "", 0)
            if token.kind in ("(", "[", "{"):
                self._stack.append(Frame(token.kind, before.value if before.kind == "name" else ""))
                self._plurals.append({})
            elif token.kind in CLOSING:
                self._close(token)
            elif token.kind == "," and self._stack:
                top = self._stack[-1]
                self._stack[-1] = top._replace(argument=top.argument + 1, key="")
            elif token.kind in ("text", "name") and after.kind == ":" and self._in_object(before):
                self._stack[-1] = self._stack[-1]._replace(key=token.value)
            elif token.kind == "text":
                compared = place > 1 and tokens[place - 2].kind == before.kind == "="
                self._text(token, before, compared=compared)

    def _in_object(self, before: Token) -> bool:
        return bool(self._stack) and self._stack[-1].bracket == "{" and before.kind in ("{", ",")

    def _close(self, token: Token) -> None:
        forms = self._plurals.pop()
        self._stack.pop()
        if {"one", "other"} <= forms.keys():
            place = f"{self.name}:{token.line}"
            self.messages.append(Message(forms["other"], place, tuple(forms)))
        else:
            self.untranslated += [f"{self.name}:{token.line}: {text}" for text in forms.values()]

    def _text(self, token: Token, before: Token, *, compared: bool) -> None:
        frame = self._stack[-1] if self._stack else Frame("", "")
        place = f"{self.name}:{token.line}"
        if frame.bracket == "{" and frame.key in ("one", "other") and before.kind == ":":
            self._plurals[-1][frame.key] = token.value
        elif frame.callee in TRANSLATE and frame.bracket == "(" and frame.argument == 0:
            self.messages.append(Message(token.value, place))
        elif not compared and frame.callee not in SELECTS and self._is_read(token.value):
            self.untranslated.append(f"{place}: {token.value}")

    def _is_read(self, text: str) -> bool:
        """Whether a text goes to the page, as far as its place and its looks tell."""
        frame = self._stack[-1] if self._stack else Frame("", "")
        if not WORD.search(HOLE.sub("", text)) or frame.key in NOT_READ:
            return False
        if frame.key in READ or _is_prose(text):
            return True
        for outer in reversed(self._stack):
            if outer.bracket == "{" or (outer.bracket == "(" and outer.callee):
                return outer.bracket == "(" and outer.argument in WRITES.get(outer.callee, ())
        return False


@functools.cache
def script(path: Path) -> Script:
    return Script(path)


def _is_prose(text: str) -> bool:
    """Two words, or one that begins like a sentence."""
    words = text.replace("{}", "X")
    return bool(re.search(r"[A-Za-z]{2,}[,:;.]? [A-Za-z]", words)) or bool(
        re.fullmatch(r"[A-Z][a-z]+[.?!…]?", words)
    )


def _tokens(source: str) -> Iterator[Token]:
    place, last, line, counted = 0, "", 1, 0
    while place < len(source):
        line, counted = line + source.count("\n", counted, place), place
        if found := SKIPPED.match(source, place):
            place = found.end()
            continue
        if found := STRING.match(source, place):
            token = Token("text", _unescaped(found[1] if found[1] is not None else found[2]), line)
        elif source[place] == "`":
            text, inner, end = _template(source, place + 1)
            yield Token("text", text, line)
            for expression in inner:
                yield from (Token("(", "", line), *_tokens(expression), Token(")", "", line))
            place, last = end, "text"
            continue
        elif last in BEFORE_REGEX and (found := REGEX.match(source, place)):
            token = Token("regex", found[0], line)
        elif found := NAME.match(source, place):
            token = Token("name", found[0], line)
        else:
            token = Token(source[place], source[place], line)
        yield token
        place += len(found[0]) if found else 1
        last = token.value if token.kind in (token.value, "name") and token.value in BEFORE_REGEX else token.kind


def _template(source: str, place: int) -> tuple[str, list[str], int]:
    """The text of a template literal with {} for its expressions, these, and where it ends."""
    text, inner = "", []
    while source[place] != "`":
        if source.startswith("${", place):
            end = _end(source, place + 2)
            inner.append(source[place + 2 : end])
            text, place = text + "{}", end + 1
        else:
            step = 2 if source[place] == "\\" else 1
            text, place = text + source[place : place + step], place + step
    return text, inner, place + 1


def _end(source: str, place: int) -> int:
    """Where the brace that is open here is closed."""
    depth = 0
    while depth or source[place] != "}":
        if source[place] == "`":
            place = _template(source, place + 1)[2]
            continue
        if found := STRING.match(source, place):
            place = found.end()
            continue
        depth += {"{": 1, "}": -1}.get(source[place], 0)
        place += 1
    return place


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def untranslated_in_style(path: Path) -> Iterator[str]:
    """Words that a style sheet writes."""
    for text in re.findall(r'content: "([^"]*)"', path.read_text("utf-8")):
        if WORD.search(text):
            yield f"{path.name}: {text}"


def all_untranslated() -> Iterable[str]:
    """Words of any page that are shown as they are."""
    for path in sorted(WEB.glob("templates/*.html")):
        yield from untranslated_in_template(path)
    for path in sorted(WEB.glob("static/*.js")):
        yield from script(path).untranslated
    for path in sorted(WEB.glob("static/*.css")):
        yield from untranslated_in_style(path)
