"""The ratio problem of pool-based selection, and its solvers."""
