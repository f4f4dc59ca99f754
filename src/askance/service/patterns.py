"""Patterns of names."""

# JSON schemas and Python disagree on whether $ matches before a final line break.
END = r"$(?!\n)"
PRINTABLE = r"^[^\x00-\x1f\x7f]+" + END
