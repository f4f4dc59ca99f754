"""`askance ratings`."""
