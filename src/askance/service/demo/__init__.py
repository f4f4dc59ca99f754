"""The made-up world of `askance serve --demo`."""
