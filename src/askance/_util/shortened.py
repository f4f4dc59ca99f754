"""Long texts, cut for people who read them."""

LONGEST_SHOWN = 4000


def shortened(text: str, most: int = LONGEST_SHOWN) -> str:
    """Cut a long text, and say how much is missing."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"
