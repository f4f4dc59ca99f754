"""What the tests of the store put into it, and how they look at all of it."""

import os
from pathlib import Path

from askance.service.store import AuditRecord, Entry, LinkRecord, SessionRecord, TokenRecord, WebhookRecord
from askance.service.store.entries import checksum, image_name
from askance.service.store.opening import is_postgres
from askance.service.store.schema import POSTGRES, SQLITE, TABLES, bring_up_to_date
from askance.service.store.sqlite import SqliteConnection

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
    image = os.urandom(3000)
    store.append(second.id, [item(1, None, b""), about(2, "skip", 1)], images={image_name(image): image})
    store.add_snapshot(first.id, 5, os.urandom(5000))
    store.add_snapshot(first.id, 9, b"")
    store.add_token(TokenRecord("ann", "labeller", b"\x00digest", 12.0, None))
    store.add_token(TokenRecord("bob", "admin", b"other", 13.0, 14.25))
    some = TokenRecord("carl", "", b"third", 13.0, None, '{"mails":"read"}', 99.0, b"before", 98.0, "issuer carl")
    store.add_token(some)
    store.add_link(LinkRecord(b"\x02digest", "ann", 12.5, 20.0, 13.0), 0.0)
    store.set_setting("horizon", "17")
    store.add_session(SessionRecord(b"\x01digest", 7, "ann", 12.5, 13.0, 20.0, "a browser"))
    store.add_webhook(
        WebhookRecord(0, second.id, "https://a.org", "whsec_x", "a b", 1, 2, "refused", "gone", 14.5)
    )
    store.add_audit_record(AuditRecord(0, 13.5, "bob", "create_task", "mails", "it", "{}"))
    store.add_audit_record(AuditRecord(0, 13.75, None, "sign_in_failed"))


def old_store(url, steps):
    """A store as an earlier version left it, with something in it if it has tables."""
    connection, dialect = raw_connection(url)
    connection.run("BEGIN")
    bring_up_to_date(connection, dialect, steps)
    if steps:
        connection.insert("tasks", TABLES["tasks"], [(1, "mails", b"{}", 1.0)])
        entries = [item(1, "a"), about(2, "label", 1)]
        rows = [(1, *entry, checksum(1, entry)) if len(steps) > 1 else (1, *entry) for entry in entries]
        connection.insert("journal", TABLES["journal"][: len(rows[0])], rows)
        connection.insert("snapshots", TABLES["snapshots"], [(1, 2, b"state")])
        token = TokenRecord("bob", "read", b"old", 1.0, None)
        known = len(TABLES["tokens"]) if len(steps) > 2 else 5  # columns
        connection.insert("tokens", TABLES["tokens"][:known], [token[:known]])
    connection.run("COMMIT")
    connection.close()


def raw_connection(url):
    if is_postgres(url):
        from psycopg.conninfo import conninfo_to_dict

        from askance.service.store.postgres import PostgresConnection

        return PostgresConnection("a test", conninfo_to_dict(url)), POSTGRES
    Path(url).touch()
    return SqliteConnection(Path(url), writes=True), SQLITE


def limit_pages(store, pages):
    with store.writing() as connection:
        connection.rows(f"PRAGMA max_page_count = {pages}")
