"""More than one process or machine: the engines that parts of work are sent to."""
