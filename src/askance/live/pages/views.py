"""The pages themselves. What they show of tasks, their modules fetch from the API."""

from starlette.responses import HTMLResponse

from askance.live.api.route import Call
from askance.live.pages.rendering import page


async def tasks_page(call: Call) -> HTMLResponse:
    """All tasks with their progress and spend."""
    return page(call, "tasks.html")


async def people_page(call: Call) -> HTMLResponse:
    """Tokens with their roles, and who is signed in."""
    return page(call, "people.html")


async def audit_page(call: Call) -> HTMLResponse:
    """Who did what."""
    return page(call, "audit.html")
