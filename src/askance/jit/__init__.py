"""Building blocks of compiled code. Only this package and `engine` import numba."""
