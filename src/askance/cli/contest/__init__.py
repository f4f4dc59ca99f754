"""Several learners on one stream: the methods, the source, the run, and the report."""
