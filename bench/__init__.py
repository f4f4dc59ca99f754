"""Speed and memory of askance beside its peers, as ratios of one run: `python -m bench --help`."""
