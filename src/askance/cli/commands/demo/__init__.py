"""`askance demo`."""
