"""`askance export`."""
