"""Work on several machines: sweeps on Dask, Ray and Spark; parameter mixing and fleets on Spark."""
