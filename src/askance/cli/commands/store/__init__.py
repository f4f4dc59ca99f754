"""`askance store`."""
