"""Forms of pages, health, and refusals."""

from typing import Annotated

from msgspec import Meta

from askance.service.messages.base import Answer, Body


class Form(Body, frozen=True):
    """What a browser sends without a module; `csrf` shows that a page of ours made it."""

    csrf: Annotated[str, Meta(max_length=100)] = ""


class SignIn(Form, frozen=True):
    """A token, and where to go on."""

    token: Annotated[str, Meta(max_length=200)] = ""
    next: Annotated[str, Meta(max_length=2000)] = ""


class FirstTokenForm(Form, frozen=True):
    """The code of the link that the first start prints."""

    code: Annotated[str, Meta(max_length=200)] = ""


class Health(Answer, frozen=True):
    """Whether the service is well."""

    status: str


class ErrorDetail(Answer, frozen=True):
    """What was wrong: a word for programs and a sentence for people."""

    code: str
    message: str


class ErrorResponse(Answer, frozen=True):
    """The answer to a request that changed nothing."""

    error: ErrorDetail
