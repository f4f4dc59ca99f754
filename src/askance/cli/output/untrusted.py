"""Untrusted text on a terminal: it must not move the cursor, change colours or reverse the line."""

import unicodedata

# Control characters, lone surrogates, line separators, and invisible characters that affect the text around them.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")
_HARMLESS = "\n\t\u200c\u200d"  # joiners are parts of words and of emoji


def harmless(text: str) -> str:
    """Escape every character that a terminal could interpret."""
    return "".join(_escaped(character) for character in text)


def in_one_line(text: str) -> str:
    """Escape the text and replace line ends and tabs by spaces."""
    return " ".join(harmless(text).split())


def _escaped(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _HARMFUL:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
