"""`askance predict`."""
