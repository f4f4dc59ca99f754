"""`askance demo`: how many labels are saved by asking only when in doubt, on real data."""

from pathlib import Path
from typing import Annotated

from askance.cli import options
from askance.cli.options import option
from askance.cli.quick_start import quick_start
from askance.cli.targets import PICTURES, check_ending, require_extra

EXAMPLE = "Example:   askance demo --plot demo.png"
# Of the first two hundred seeds, one whose figures are close to all medians: neither luck nor bad luck.
TYPICAL_SEED = 23


Seed = Annotated[int, option("Random seed for the order of the tumours and for asking.", "N", min=0)]
Data = Annotated[Path | None, option("Save the data to this file, to try `askance run` on it.", "CSV")]


def demo(
    seed: Seed = TYPICAL_SEED, data: Data = None, plot: options.Plot = None, json: options.Json = False
) -> None:
    """Show on real data how many labels are saved by asking only when in doubt.

    The data come with scikit-learn: 569 breast tumours with 30 measurements
    each, malignant or benign. The automatic learner takes them as they are.
    """
    check_ending(data, "--data", (".csv",))
    check_ending(plot, "--plot", PICTURES)
    if plot is not None:
        require_extra("matplotlib")
    with quick_start():
        from askance.cli.commands.demo import work

    work.demonstrate(seed, data, plot, as_json=json)
