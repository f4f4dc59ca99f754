"""Helpers without a domain: files, parameters, memory, scrambled bits."""
