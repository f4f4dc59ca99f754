"""Passes over rows, compiled for each combination of rules: what learners, banks and fleets are built on."""
