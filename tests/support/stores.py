"""What the tests of the store put into it, and how they look at all of it."""

import os

from askance.service.store import AuditRecord, Entry, SessionRecord, TokenRecord
from askance.service.store.schema import TABLES

KINDS = ("sqlite", "postgres")


def item(seq, key=None, body=b'{"text": "hello"}'):
    return Entry(seq, 100.0 + seq, "item", seq, key, "sender", body)


def about(seq, kind, of, key=None):
    return Entry(seq, 100.0 + seq, kind, of, key, "ann", b'{"label": "spam"}')


def all_entries(store, task=1, **options):
    return [entry for batch in store.entries(task, **options) for entry in batch]


def content(store):
    with store.one_moment() as connection:
        return {
            table: connection.rows(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {columns[0]}, {columns[1]}")
            for table, columns in TABLES.items()
        }


def fill(store, entries=1200):
    """Something in every table and every column."""
    first = store.add_task("mails", b'{"classes": ["ham", "spam"]}', 10.0)
    second = store.add_task("pages\n'?%s", b"\x00\xff", 11.5)
    store.append(first.id, [item(seq, f"k{seq}") for seq in range(1, entries)])
    store.append(first.id, [about(entries, "label", 7, "κλειδί")])
    store.append(second.id, [item(1, None, b""), about(2, "skip", 1)])
    store.add_snapshot(first.id, 5, os.urandom(5000))
    store.add_snapshot(first.id, 9, b"")
    store.add_token(TokenRecord("ann", "labeller", b"\x00digest", 12.0, None))
    store.add_token(TokenRecord("bob", "admin", b"other", 13.0, 14.25))
    store.set_setting("horizon", "17")
    store.add_session(SessionRecord(b"\x01digest", 7, "ann", 12.5, 13.0, 20.0, "a browser"))
    store.add_audit_record(AuditRecord(0, 13.5, "bob", "create_task", "mails", "it", "{}"))
    store.add_audit_record(AuditRecord(0, 13.75, None, "sign_in_failed"))
