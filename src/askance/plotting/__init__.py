"""Figures. They need matplotlib: pip install "askance[plots]"."""

from askance.plotting.curves import draw, draw_panel, save_picture

__all__ = ["draw", "draw_panel", "save_picture"]
