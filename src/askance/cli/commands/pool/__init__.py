"""`askance pool`."""
