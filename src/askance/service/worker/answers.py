"""The answer of a language model: a class of the task and a confidence, or nothing."""

from collections.abc import Collection
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from askance.service.messages import Guess


class Said(Struct, frozen=True, forbid_unknown_fields=True):
    """The only form that an answer may have."""

    label: str
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None


class Message(Struct, frozen=True):
    """The text of an answer; null if the model refuses."""

    content: str | None = None


class Choice(Struct, frozen=True):
    """One of the answers; there is one."""

    message: Message


class Usage(Struct, frozen=True):
    """The tokens that are paid for."""

    prompt_tokens: Annotated[int, Meta(ge=0)] = 0
    completion_tokens: Annotated[int, Meta(ge=0)] = 0


class Completion(Struct, frozen=True):
    """The body of a response, as far as it is needed."""

    choices: list[Choice] = []
    usage: Usage | None = None


_said = msgspec.json.Decoder(Said)
_completion = msgspec.json.Decoder(Completion)


def completion_of(body: bytes) -> Completion:
    """A response. One that is something else has no answer."""
    try:
        return _completion.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Completion()


def guess_of(completion: Completion, classes: Collection[str]) -> Guess | None:
    """The guess in a response; None unless it is one of the classes, in the form that was asked for."""
    if len(completion.choices) != 1:
        return None
    try:
        said = _said.decode(completion.choices[0].message.content or "")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return Guess(said.label, said.confidence) if said.label in classes else None


def schema_of(classes: Collection[str]) -> dict[str, object]:
    """The form of an answer, for models that can be held to one."""
    schema = {
        "type": "object",
        "properties": {
            "label": {"type": "string", "enum": list(classes)},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["label", "confidence"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "label", "strict": True, "schema": schema}}
