"""`askance spark`."""
