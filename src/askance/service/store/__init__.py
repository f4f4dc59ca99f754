"""Where the journal of every task is kept: an SQLite file, or a PostgreSQL database with the same schema."""

from askance.errors import StoreError
from askance.service.store.copying import copy
from askance.service.store.entries import Deed, Entry, Session, Task, Token
from askance.service.store.opening import open_store
from askance.service.store.store import Store

__all__ = ["Deed", "Entry", "Session", "Store", "StoreError", "Task", "Token", "copy", "open_store"]
