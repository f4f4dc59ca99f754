"""The errors and warnings that askance raises. Every message says what is wrong and what to do."""

__all__ = [
    "AskanceError",
    "DataError",
    "DataWarning",
    "ExportError",
    "ModelFileError",
    "ParameterError",
    "ScaleWarning",
    "ServiceError",
    "StoreError",
]


class AskanceError(Exception):
    """The base class of all errors of askance."""


class ParameterError(AskanceError, ValueError, TypeError):
    """A parameter has a value or a type that is not allowed.

    Attributes
    ----------
    owner : str
        The class or function that has the parameter.
    name : str
        The name of the parameter.
    value : object
        The value that was given.
    allowed : str
        The allowed values, in words.
    """

    def __init__(self, owner: str, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{owner}: {name} must be {allowed}, not {shown(value)}")
        self.owner = owner
        self.name = name
        self.value = value
        self.allowed = allowed

    def __reduce__(self) -> tuple[type, tuple[str, str, object, str]]:
        return type(self), (self.owner, self.name, self.value, self.allowed)


class DataError(AskanceError, ValueError):
    """A data source cannot be read. The message names the file, the line and the remedy.

    Attributes
    ----------
    parameter : str or None
        The parameter that the remedy sets, if there is one. The message names it as in "pass label=".
    """

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class ModelFileError(AskanceError, ValueError):
    """A model file is damaged, is not a model, or comes from an incompatible version."""


class ExportError(AskanceError, ValueError):
    """A model cannot be exported so that it predicts the same."""


class ServiceError(AskanceError):
    """A request to the service failed.

    Attributes
    ----------
    status : int or None
        The HTTP status, or None if the service did not answer.
    code : str
        A word for programs, such as "unreachable".
    """

    def __init__(self, message: str, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class StoreError(AskanceError, OSError):
    """The store cannot be reached, is full, is owned by another process, or refuses an entry."""

    def __init__(self, message: str, *, full: bool = False) -> None:
        super().__init__(message)
        self.full = full


class DataWarning(UserWarning):
    """Data can be used but differ from what their name promises. The message says how."""


class ScaleWarning(UserWarning):
    """Columns differ so much in size that a linear learner follows the largest. The message says what to do."""


def shown(value: object, most: int = 100) -> str:
    """The representation of a value, cut in the middle if it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 4 :]}"
