"""`askance token`."""
