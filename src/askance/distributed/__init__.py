"""Work on several machines: sweeps on Dask, Ray or Spark; parameter mixing and fleets on Spark."""
