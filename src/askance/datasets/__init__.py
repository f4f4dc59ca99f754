"""The data sets of the papers by name: what they are, where they are, and how each paper prepared them."""

from askance.datasets.entry import PAPERS, Entry, File, Table, Use
from askance.datasets.fetching import Fetched, fetch
from askance.datasets.finding import Found, cache_directory, find, look_for
from askance.datasets.loading import Prepared, load, prepare
from askance.datasets.register import REGISTER

__all__ = [
    "PAPERS",
    "REGISTER",
    "Entry",
    "Fetched",
    "File",
    "Found",
    "Prepared",
    "Table",
    "Use",
    "cache_directory",
    "fetch",
    "find",
    "load",
    "look_for",
    "prepare",
]
