"""`askance sweep`."""
