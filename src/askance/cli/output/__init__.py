"""What the command line prints: results, progress, charts and untrusted text."""
