"""Answers of many lines, cut without reading them: JSON lines and server-sent events."""

import msgspec

from askance.service.messages import Figures


class LineCutter:
    """Bytes in, whole lines out. Only a line feed ends a line: within JSON other separators are text."""

    def __init__(self) -> None:
        self._rest = b""
        self.count = 0

    def take(self, content: bytes) -> list[bytes]:
        """The lines that are whole now."""
        *lines, self._rest = (self._rest + content).split(b"\n")
        self.count += len(lines)
        return lines

    def end(self) -> list[bytes]:
        """A last line without an end, if there is one."""
        return [self._rest] if self._rest else []


class EventReader:
    """Lines of server-sent events in, figures out."""

    def __init__(self) -> None:
        self._event = b""
        self._data: list[bytes] = []

    def take(self, line: bytes) -> Figures | None:
        """The figures, if this line completes an event that holds some."""
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
