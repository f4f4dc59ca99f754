"""Routes of reviews: what leads should look at, and what they decide."""

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import reviews
from askance.service.views import review as review_view


async def list_reviews(call: Call) -> messages.ReviewQueue:
    """List items to review: disagreements, flagged items, likely label errors and skipped items, in this order."""
    return await call.read(review_view.queue, call.service.store, call.writer.task, call.query)


async def review_item(call: Call) -> messages.Reviewed:
    """Decide about an item: give a question its label, whatever the votes are, or leave the item as it is."""
    return await call.run(lambda transaction: reviews.review(transaction, call.body, call.who))
