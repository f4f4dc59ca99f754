"""Beyond one model and one machine: many models by key, and Spark."""
