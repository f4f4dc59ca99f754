"""The API: a table of routes with their roles, messages and errors. The schema is generated from it."""
