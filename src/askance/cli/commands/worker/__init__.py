"""`askance worker`."""
