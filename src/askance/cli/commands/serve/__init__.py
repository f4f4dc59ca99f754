"""`askance serve`."""
