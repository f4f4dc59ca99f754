"""What the command line prints: results, progress, charts, and text from strangers."""
