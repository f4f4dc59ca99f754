"""`askance push`."""
