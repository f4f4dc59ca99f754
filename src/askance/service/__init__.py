"""The service: items come in, questions go out, and the model learns from every answer.

`run` starts it and waits; `start` starts it in a thread, for tests and notebooks.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance.service.launch import RunningService, run, start

__all__ = ["RunningService", "run", "start"]


def __getattr__(name: str) -> Any:
    # The client must not import the web server, so the names are resolved when they are used.
    if name in __all__:
        from askance.service import launch

        return getattr(launch, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
