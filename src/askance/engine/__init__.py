"""Passes over rules: what learners, banks and fleets do to rows, compiled for each combination of rules."""
