"""`askance demo`: what asking only when in doubt saves, on real data, in half a minute."""

from pathlib import Path
from typing import Annotated

from askance.cli import options
from askance.cli.options import option
from askance.cli.targets import PICTURES, check_ending, require

EXAMPLE = "Example:   askance demo --plot demo.png"
# Of the first two hundred seeds, the one whose figures lie nearest to the medians: neither luck nor bad luck.
TYPICAL_SEED = 71


Seed = Annotated[int, option("The seed of the order of the tumours and of the coins.", "N", min=0)]
Data = Annotated[Path | None, option("Keep the data, to try `askance run` on them.", "CSV")]


def demo(
    seed: Seed = TYPICAL_SEED, data: Data = None, plot: options.Plot = None, json: options.Json = False
) -> None:
    """Show on real data what asking only when in doubt saves.

    The data come with scikit-learn: 569 breast tumours in 30 measurements,
    malignant or benign.
    """
    check_ending(data, "--data", (".csv",))
    check_ending(plot, "--plot", PICTURES)
    if plot is not None:
        require("matplotlib")
    from askance.cli.commands.demo import work

    work.demonstrate(seed, data, plot, as_json=json)
