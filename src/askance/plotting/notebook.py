"""Figures and axes that a notebook shows as pictures, without the global state of pyplot."""

import functools
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def png_of(figure: Any) -> bytes:
    """The figure as a PNG file."""
    content = io.BytesIO()
    figure.canvas.print_figure(content, format="png", dpi=figure.dpi)
    return content.getvalue()


@functools.cache
def figure_class() -> "type[Figure]":
    """The class of figures: those of matplotlib, with a picture for notebooks."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            return png_of(self)

    return ShownFigure


@functools.cache
def axes_class() -> "type[Axes]":
    """The class of axes: those of matplotlib. A notebook that is given one shows its figure."""
    from matplotlib.axes import Axes

    class ShownAxes(Axes):
        def _repr_png_(self) -> bytes:
            return png_of(self.figure)

    return ShownAxes
