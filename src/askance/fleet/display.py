"""How a fleet is shown, in text and in notebooks."""

from askance._util.html import html_table
from askance.fleet.settings import FleetSettings


def as_text(settings: FleetSettings, models: int) -> str:
    """A fleet with this many models, in a line."""
    return f"<Fleet: {settings.algorithm}, {models:,} models>"


def as_html(settings: FleetSettings, models: int) -> str:
    """A fleet with this many models, as a table."""
    parameters = ", ".join(f"{name}={value}" for name, value in settings.parameters.items())
    rows = [
        ("models", f"{models:,}"),
        ("classes", ", ".join(map(str, settings.classes))),
        ("parameters", parameters or "–"),
        ("columns", f"{settings.width:,}"),
    ]
    return html_table(f"Fleet of {settings.algorithm}", rows)
