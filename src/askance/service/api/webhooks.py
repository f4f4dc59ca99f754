"""Routes of webhooks."""

import asyncio

from msgspec.structs import replace

from askance.service import messages
from askance.service.api.route import Call
from askance.service.views.blind import without_labels


async def list_webhooks(call: Call) -> messages.Webhooks:
    """List the webhooks of a task, and how they are doing."""
    return messages.Webhooks(await asyncio.to_thread(call.service.webhooks.of, _task(call)))


async def list_changes(call: Call) -> messages.Changes:
    """List what happened to a task after an entry of its journal: the events of webhooks, to be asked for."""
    found = await asyncio.to_thread(call.service.webhooks.changes, _task(call), call.query)
    if call.labeller is None:
        return found
    return replace(found, changes=without_labels(call.writer.task.fold, found.changes, call.labeller))


async def add_webhook(call: Call) -> messages.NewWebhook:
    """Send events of a task to a URL, in order and signed, until they are taken. The secret is shown only once."""
    return await asyncio.to_thread(call.service.webhooks.add, _task(call), call.body)


async def remove_webhook(call: Call) -> messages.Webhook:
    """Remove a webhook."""
    return await asyncio.to_thread(call.service.webhooks.remove, _task(call), call.number("number"))


async def replay_webhook(call: Call) -> messages.Webhook:
    """Send the events after an entry of the journal again, or enable a webhook that was disabled."""
    return await asyncio.to_thread(
        call.service.webhooks.replay, _task(call), call.number("number"), call.body.after
    )


def _task(call: Call) -> str:
    return call.writer.task.settings.name
