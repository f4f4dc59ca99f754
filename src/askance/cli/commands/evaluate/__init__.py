"""`askance evaluate`."""
