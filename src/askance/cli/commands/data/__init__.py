"""`askance data`."""
