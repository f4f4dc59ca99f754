"""`askance catalog`."""
