"""The report of a table in Markdown: published values, ours, and which claims hold."""

from askance.experiments.papers import Reproduction


def markdown(found: Reproduction) -> str:
    """Return the report of a table."""
    table = found.table
    parts = [f"### {table.paper}, {_name(table.name)}: {table.title}", ""]
    if found.results is not None:
        parts += table.body(found.results)
    if found.missing:
        parts += ["", "Left out:", "", *(f"- {label}: {why}" for label, why in found.missing.items())]
    notes = [*table.notes, *found.notes]
    if notes:
        parts += ["", "Notes:", "", *(f"- {note}" for note in notes)]
    return "\n".join(parts) + "\n"


def _name(name: str) -> str:
    return f"table {name}" if name[0].isdigit() and "-" not in name else name
