"""The write side: commands that add entries to the journal of a task."""
