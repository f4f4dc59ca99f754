"""`askance doctor`."""
