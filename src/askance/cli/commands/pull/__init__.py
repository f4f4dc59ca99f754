"""`askance pull`."""
