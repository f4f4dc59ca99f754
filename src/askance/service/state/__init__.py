"""What a task is after its journal so far: the fold and its parts. No input or output."""
