"""The state of a task after its journal so far: the fold and its parts. No input or output."""
