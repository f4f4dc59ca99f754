"""`askance connect`."""
