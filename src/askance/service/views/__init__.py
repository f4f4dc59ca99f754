"""The read side: what the API and the pages show of a task."""
