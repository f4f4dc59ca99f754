"""How well `askance run FILE` does on raw files, with defaults only."""
