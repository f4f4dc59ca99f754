# Generated from asynchronous_reviews.py by tools/make_sync_client.py: edit that file, and run the tool.
"""Flags, reviews and figures to act on."""

from askance.service import messages as m
from askance.service.client import review_calls
from askance.service.client.naming import ItemRef
from askance.service.client.synchronous_requests import Requests


class Reviews(Requests):
    """The methods of a client that are about flags and reviews, and about how classes and labellers do."""

    def flag(
        self, item: ItemRef, note: str | None = None, *, key: str | None = None, task: str | None = None
    ) -> m.Flagged:
        """Ask a lead to look at an item, with or without a note of up to 500 characters. You can label it, too."""
        return self._do(review_calls.flag(self._of(task), item, note, key))

    def undo_flag(self, item: ItemRef, *, key: str | None = None, task: str | None = None) -> m.Flagged:
        """Undo your last open flag of an item."""
        return self._do(review_calls.undo_flag(self._of(task), item, key))

    def reviews(self, *, before: int | None = None, count: int = 100, task: str | None = None) -> m.ReviewQueue:
        """List items to review: disagreements, flagged items, likely label errors and skipped items.

        Parameters
        ----------
        before : int, optional
            The `before` of the previous answer, to compare older labels with the model.
        count : int, default=100
            At most this many items.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        ReviewQueue
            The items with everything that is known about them, and why each is there.
        """
        return self._do(review_calls.reviews(self._of(task), before, count))

    def review(self, item: ItemRef, label: str | None = None, *, task: str | None = None) -> m.Reviewed:
        """Decide about an item: give an open question its label, or keep the item as it is. Flags are settled.

        If the item already has another label, use `correct`.
        """
        return self._do(review_calls.review(self._of(task), item, label))

    def confusion(self, *, task: str | None = None) -> m.Confusion:
        """Get the confusion matrix of the current model, with precision and recall of each class."""
        return self._do(review_calls.confusion(self._of(task)))

    def labellers(self, *, task: str | None = None) -> m.Labellers:
        """Get what labellers did, how fast they are, and how well pairs of them agree."""
        return self._do(review_calls.labellers(self._of(task)))

    def predicted_classes(self, *, task: str | None = None) -> m.PredictedClasses:
        """Get the shares of the classes among what was predicted lately, and before that."""
        return self._do(review_calls.predicted_classes(self._of(task)))
