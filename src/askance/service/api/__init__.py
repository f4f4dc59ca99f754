"""The API: a table of routes, each with its role, its messages and its errors; the schema is made from it."""
