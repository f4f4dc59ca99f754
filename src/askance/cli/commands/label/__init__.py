"""`askance label`."""
