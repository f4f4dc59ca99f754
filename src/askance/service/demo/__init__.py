"""The simulated world of `askance serve --demo`."""
