"""`askance run`."""
