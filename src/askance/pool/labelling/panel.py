"""The widgets with which a row is labelled in a notebook."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from askance._util.html import html_table

DOUBLE_CLICK = 0.3  # seconds: nobody has read the next row by then

Press = Callable[[str | None], None]


class Panel:
    """A row, a button per class, and what is known so far.

    `answer` is called with a label, or with None for a row that is skipped; `undo` undoes the last answer.
    """

    def __init__(
        self,
        widgets: ModuleType,
        answer: Press,
        undo: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._widgets = widgets
        self._answer = answer
        self._clock = clock
        self._shown_at = -DOUBLE_CLICK
        self.content, self.message, self.progress = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.classes = widgets.Box(layout=widgets.Layout(flex_flow="row wrap"))
        self.other = widgets.Text(placeholder="another class")
        self.add = self._button("Add", lambda: self._label(self.other.value.strip()))
        self.skip = self._button("Skip", lambda: self._label(None))
        self.undo = self._button("Undo", undo, guarded=False)
        commands = widgets.HBox([self.skip, self.undo, self.other, self.add])
        self.box = widgets.VBox([self.content, self.classes, commands, self.message, self.progress])

    def ask(self, values: Sequence[tuple[str, str]], classes: Sequence[str]) -> None:
        """Show the values of a row, with a button per class."""
        self.content.value = _as_html(values)
        if [button.description for button in self.classes.children] != list(classes):
            self.classes.children = [self._button(name, partial(self._label, name), "info") for name in classes]
        self._switch(is_open=True)
        self._shown_at = self._clock()

    def end(self, reason: str) -> None:
        """Show that there is no question, and why."""
        self.content.value = f"<p>{escape(reason)}</p>"
        self._switch(is_open=False)

    def tell(self, progress: str, message: str = "") -> None:
        """Show what is known so far, and what has just happened."""
        self.progress.value = f"<p>{escape(progress)}</p>"
        self.message.value = f"<p>{escape(message)}</p>" if message else ""

    def _label(self, label: str | None) -> None:
        if label != "":
            self.other.value = ""
            self._answer(label)

    def _switch(self, *, is_open: bool) -> None:
        for button in (*self.classes.children, self.skip, self.add):
            button.disabled = not is_open

    def _button(self, name: str, press: Callable[[], None], style: str = "", *, guarded: bool = True) -> Any:
        button = self._widgets.Button(description=name, tooltip=name, button_style=style)

        def pressed(_button: Any) -> None:
            # The second click of two was meant for the row that was there before.
            if not guarded or self._clock() - self._shown_at >= DOUBLE_CLICK:
                press()

        button.on_click(pressed)
        return button


def _as_html(values: Sequence[tuple[str, str]]) -> str:
    if len(values) == 1 and not values[0][0]:
        return f"<p style='white-space: pre-wrap'>{escape(values[0][1])}</p>"
    return html_table("", values)
