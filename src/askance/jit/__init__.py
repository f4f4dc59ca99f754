"""What compiled code is written with. Only this package and `engine` import numba."""
