"""The papers' data sets by name: a register, where they are on this machine, and how each paper prepared them."""

from askance.data.named.entry import PAPERS, Entry, File, Table, Use
from askance.data.named.fetching import Fetched, fetch
from askance.data.named.finding import Found, cache_directory, find, look_for
from askance.data.named.loading import Prepared, load, prepare
from askance.data.named.register import REGISTER

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
