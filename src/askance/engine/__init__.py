"""The compiled heart; nothing outside this folder imports numba."""
