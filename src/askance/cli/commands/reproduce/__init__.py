"""`askance reproduce`."""
