"""What the current model confuses with what, from the labels of audits that it has not learned."""

from collections import Counter

from askance.metrics.samples import SampleCounts, sample_estimate
from askance.service import messages
from askance.service.state.audits import FEWEST, Sample
from askance.service.state.finite import sentence
from askance.service.state.rows import has_content, stored_rows
from askance.service.store import Store
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.predictions import predicted
from askance.service.views.task import figure_of

ON_ARRIVAL = (
    "Cannot tell: this task asks on arrival, by how certain the model is, so its labels are not a random sample. "
    "A task that chooses questions on lease asks some at random."
)
SEVERAL = "Items of this task may have several classes, so no class is taken for another one."

Pairs = Counter[tuple[str | None, str]]  # label, None if it is missing, and prediction


def sample(transaction: Transaction) -> Sample:
    """The questions at random that test the current model."""
    fold = transaction.fold
    return fold.audits.sample(fold.ledger.rows, test=True).best_part()


def confusion(store: Store, task: Task, sample: Sample) -> messages.Confusion:
    """The confusion matrix, and precision and recall of each class."""
    fold = task.fold
    settings, version = fold.settings, fold.version
    note = _why_not(task, sample)
    if note:
        return messages.Confusion(sample.labels, version, note, [], [])
    contents = Transaction(fold, store, task.number, 0.0).contents(dict(sample.audits))
    rows = stored_rows(settings, {item: one for item, one in contents.items() if has_content(settings, one)})
    said = dict(zip(rows, predicted(fold, rows).predictions, strict=True)) | sample.said_of_deleted
    pairs: Pairs = Counter((audit.label, said[item]) for item, audit in sample.audits if item in said)
    labels = sum(count for (label, _), count in pairs.items() if label is not None)
    missing = pairs.total() - labels
    note = f"{missing:,} questions have no answer: the intervals allow for any answer." if missing else ""
    ids = [settings.id_of(name) for name in settings.classes]
    quality = [_quality(name, one, pairs, sample.rows) for name, one in zip(settings.classes, ids, strict=True)]
    matrix = [[pairs[label, prediction] for prediction in ids] for label in ids]
    return messages.Confusion(labels, version, note, quality, matrix)


def _why_not(task: Task, sample: Sample) -> str:
    """Why nothing can be said, or an empty text."""
    if task.settings.multilabel:
        return SEVERAL
    if not task.settings.asks_on_lease:
        return ON_ARRIVAL
    if task.fold.model.diverged:
        return sentence(task.fold.model.diverged) or ""
    if sample.labels < FEWEST:
        return (
            f"Cannot tell yet: {sample.labels} of {FEWEST} questions at random that test the model are answered."
        )
    return ""


def _quality(name: str, label: str, pairs: Pairs, rows: int) -> messages.ClassQuality:
    """Precision and recall of a class, as if all others were one."""
    found = dict.fromkeys(SampleCounts._fields, 0)
    for (given, said), count in pairs.items():
        found[_kind(given, label, said == label)] += count
    counts = SampleCounts(**found)
    precision, recall = (sample_estimate(metric, counts, rows) for metric in ("precision", "recall"))
    of_class = counts.true_positives + counts.false_negatives
    return messages.ClassQuality(name, of_class, figure_of(precision), figure_of(recall))


def _kind(given: str | None, label: str, is_positive: bool) -> str:
    """Which count of `SampleCounts` a label and a prediction belong to."""
    if given is None:
        return "missing_positives" if is_positive else "missing_negatives"
    if given == label:
        return "true_positives" if is_positive else "false_negatives"
    return "false_positives" if is_positive else "true_negatives"
