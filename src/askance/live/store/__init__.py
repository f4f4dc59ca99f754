"""Where the journal of every task is kept: an SQLite file, or a PostgreSQL database with the same schema."""

from askance.live.store.copying import copy
from askance.live.store.entries import Entry, StoreFault, Task, Token
from askance.live.store.opening import open_store
from askance.live.store.store import Store

__all__ = ["Entry", "Store", "StoreFault", "Task", "Token", "copy", "open_store"]
