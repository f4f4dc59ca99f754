"""The calls of the API about flags, reviews, and figures of classes and labellers."""

from urllib.parse import urlencode

import msgspec

from askance.service import messages as m
from askance.service.client.calls import ApiCall, path_of, post, read_as
from askance.service.client.naming import ItemRef, fresh_name, number_of


def flag(task: str, item: ItemRef, note: str | None, key: str | None) -> ApiCall[m.Flagged]:
    """Flag an item, with a note if there is one."""
    request = m.Flag(number_of(item), key or fresh_name(), note or msgspec.UNSET)
    return post(path_of(task, "flags"), request, read_as(m.Flagged))


def undo_flag(task: str, item: ItemRef, key: str | None) -> ApiCall[m.Flagged]:
    """Undo a flag."""
    request = m.FlagUndo(number_of(item), key or fresh_name())
    return post(path_of(task, "flag-undo"), request, read_as(m.Flagged))


def reviews(task: str, before: int | None, count: int) -> ApiCall[m.ReviewQueue]:
    """List items to review."""
    request = {"count": count} | ({} if before is None else {"before": before})
    return ApiCall("GET", f"{path_of(task, 'reviews')}?{urlencode(request)}", read_as(m.ReviewQueue))


def review(task: str, item: ItemRef, label: str | None) -> ApiCall[m.Reviewed]:
    """Decide about an item. Done twice, it does the same as once."""
    request = m.ReviewRequest(number_of(item), msgspec.UNSET if label is None else label)
    return post(path_of(task, "reviews"), request, read_as(m.Reviewed))


def confusion(task: str) -> ApiCall[m.Confusion]:
    """Get the confusion matrix."""
    return ApiCall("GET", path_of(task, "confusion"), read_as(m.Confusion))


def labellers(task: str) -> ApiCall[m.Labellers]:
    """Get the labellers."""
    return ApiCall("GET", path_of(task, "labellers"), read_as(m.Labellers))


def predicted_classes(task: str) -> ApiCall[m.PredictedClasses]:
    """Get the predicted classes."""
    return ApiCall("GET", path_of(task, "predicted"), read_as(m.PredictedClasses))
