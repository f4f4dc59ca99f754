"""Logs for programs: one JSON object per line on stderr."""

import json
import logging
from datetime import UTC, datetime

from askance.service.api.request_info import current_id

_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonLines(logging.Formatter):
    """Formats a record as time, level, event and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if (request_id := current_id.get()) is not None:
            line["request_id"] = request_id
        line |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def write_logs(level: str) -> None:
    """Let the service and the web server log in this format, from this level on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    wanted = logging.getLevelName(level.upper())
    for name, least in (("askance.service", wanted), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(wanted, least))
