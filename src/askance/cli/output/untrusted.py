"""Text from strangers on a terminal: nothing in it may move the cursor, change colours or reverse the line."""

import unicodedata

# Control characters, lone surrogates, separators of lines, and what is invisible and steers the text around it.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")
_HARMLESS = "\n\t\u200c\u200d"  # joiners are parts of words and of emoji
LONGEST_SHOWN = 4000


def harmless(text: str) -> str:
    """The text with every character that a terminal could obey written out."""
    return "".join(_written_out(character) for character in text)


def in_one_line(text: str) -> str:
    """The same, without line ends and tabs."""
    return " ".join(harmless(text).split())


def shortened(text: str, most: int = LONGEST_SHOWN) -> str:
    """The beginning of a long text, and how much is missing."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def _written_out(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _HARMFUL:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
