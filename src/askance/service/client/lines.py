"""Splitting answers into lines: JSON lines and server-sent events."""

import msgspec

from askance.service.messages import Figures


class LineCutter:
    """Takes bytes and returns complete lines. Only a line feed ends a line: other separators may occur in JSON."""

    def __init__(self) -> None:
        self._rest = b""
        self.count = 0

    def take(self, content: bytes) -> list[bytes]:
        """The lines that are complete now."""
        *lines, self._rest = (self._rest + content).split(b"\n")
        self.count += len(lines)
        return lines

    def end(self) -> list[bytes]:
        """The last line, if it has no line feed."""
        return [self._rest] if self._rest else []


class EventReader:
    """Takes lines of server-sent events and returns figures."""

    def __init__(self) -> None:
        self._event = b""
        self._data: list[bytes] = []

    def take(self, line: bytes) -> Figures | None:
        """The figures, if this line completes an event with figures."""
        line = line.removesuffix(b"\r")
        if not line:
            event, data = self._event, b"\n".join(self._data)
            self._event, self._data = b"", []
            return msgspec.json.decode(data, type=Figures) if event == b"figures" and data else None
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._event = value
        elif name == b"data":
            self._data.append(value)
        return None
