"""`askance evaluate`: how well a saved model predicts a labelled file."""

from askance.cli import options
from askance.cli.commands.predict.command import Model
from askance.cli.quick_start import quick_start

EXAMPLE = "Example:   askance evaluate customers.model march.csv --positive leaves"


def evaluate(
    model: Model,
    file: options.File,
    positive: options.Positive = None,
    json: options.Json = False,
    label: options.Label = None,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
) -> None:
    """Compare the predictions of MODEL with the labels of FILE, which the model should not have learned from.

    Intervals contain the figure with a probability of 95 %, if the rows of FILE
    are drawn at random from those that the model will meet.
    """
    with quick_start():
        from askance.cli.commands.evaluate import work

    found = work.evaluate(work.EvaluateRequest(model, file, positive, label, format, delimiter))
    work.show(found, as_json=json)
