"""Integrity checks beyond those of the database itself."""

from askance.service.store.database import Connection


def problems(connection: Connection) -> list[str]:
    """One sentence per kind of damage in a task."""
    return [*_gaps(connection), *_strays(connection), *_snapshots_ahead(connection)]


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


def _snapshots_ahead(connection: Connection) -> list[str]:
    found = connection.rows(
        "SELECT task, seq FROM snapshots WHERE seq > (SELECT COALESCE(MAX(seq), 0) FROM journal "
        "WHERE journal.task = snapshots.task) ORDER BY task, seq"
    )
    return [f"task {task}: the snapshot at {seq} is beyond the end of the journal" for task, seq in found]
