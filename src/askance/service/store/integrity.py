"""Integrity checks beyond those of the database itself."""

from askance.service.store.database import Connection
from askance.service.store.entries import Entry, checksum, image_name
from askance.service.store.reader import COLUMNS
from askance.service.store.schema import unsealed_name

AT_ONCE = 2000


def problems(connection: Connection) -> list[str]:
    """One sentence per kind of damage in a task."""
    checks = (_gaps, _strays, _snapshots_ahead, _altered, _images)
    return [problem for check in checks for problem in check(connection)]


def _gaps(connection: Connection) -> list[str]:
    found = connection.rows("SELECT task, COUNT(*), MIN(seq), MAX(seq) FROM journal GROUP BY task ORDER BY task")
    return [
        f"task {task}: {count} entries have seqs from {first} to {last}: {last - count} are missing"
        for task, count, first, last in found
        if first != 1 or count != last
    ]


def _strays(connection: Connection) -> list[str]:
    found = connection.rows(
        "SELECT task, COUNT(*), MIN(seq) FROM journal WHERE item IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM journal AS other WHERE other.task = journal.task AND other.seq = journal.item "
        "AND other.item = other.seq) GROUP BY task ORDER BY task"
    )
    return [
        f"task {task}: {count} entries are about items that do not exist, the first of them entry {seq}"
        for task, count, seq in found
    ]


def _altered(connection: Connection) -> list[str]:
    """Entries that do not match their checksums: all of them are read."""
    settings: dict[str, str] = dict(connection.rows("SELECT name, value FROM settings"))
    altered: dict[int, list[int]] = {}
    for rows in connection.stream(f"SELECT {COLUMNS}, checksum, task FROM journal ORDER BY task, seq", AT_ONCE):
        for *entry, expected, task in rows:
            unsealed = expected is None and entry[0] <= int(settings.get(unsealed_name(task), 0))
            if not unsealed and expected != checksum(task, Entry(*entry)):
                altered.setdefault(task, []).append(entry[0])
    return [
        f"task {task}: {len(seqs)} entries do not match their checksums, the first of them entry {seqs[0]}"
        for task, seqs in altered.items()
    ]


def _images(connection: Connection) -> list[str]:
    """Images that do not match their names, which are their digests."""
    altered: dict[int, int] = {}
    for rows in connection.stream("SELECT task, name, content FROM images ORDER BY task, name", 1):
        for task, name, content in rows:
            if image_name(bytes(content)) != name:
                altered[task] = altered.get(task, 0) + 1
    return [f"task {task}: {count} images do not match their checksums" for task, count in altered.items()]


def _snapshots_ahead(connection: Connection) -> list[str]:
    found = connection.rows(
        "SELECT task, seq FROM snapshots WHERE seq > (SELECT COALESCE(MAX(seq), 0) FROM journal "
        "WHERE journal.task = snapshots.task) ORDER BY task, seq"
    )
    return [f"task {task}: the snapshot at {seq} is beyond the end of the journal" for task, seq in found]
