"""From the rows of files to the items of a task: what `askance push` and uploads in the browser share."""
