"""The store of all tasks: an SQLite file, or a PostgreSQL database with the same schema."""

from askance.errors import StoreError
from askance.service.store.copying import copy
from askance.service.store.entries import (
    AuditRecord,
    Entry,
    LinkRecord,
    SessionRecord,
    TaskRecord,
    TokenRecord,
    WebhookRecord,
)
from askance.service.store.opening import open_store
from askance.service.store.store import Store

__all__ = [
    "AuditRecord",
    "Entry",
    "LinkRecord",
    "SessionRecord",
    "Store",
    "StoreError",
    "TaskRecord",
    "TokenRecord",
    "WebhookRecord",
    "copy",
    "open_store",
]
