"""HTML forms, health, and errors."""

from typing import Annotated

from msgspec import Meta

from askance.service.messages.base import Answer, Body


class Form(Body, frozen=True):
    """An HTML form. `csrf` shows that it comes from a page of this service."""

    csrf: Annotated[str, Meta(max_length=100)] = ""


class SignIn(Form, frozen=True):
    """A token, and the page to open next."""

    token: Annotated[str, Meta(max_length=200)] = ""
    next: Annotated[str, Meta(max_length=2000)] = ""


class CodeForm(Form, frozen=True):
    """The code in the link that the first start prints, or in a link that signs in."""

    code: Annotated[str, Meta(max_length=200)] = ""


class Health(Answer, frozen=True):
    """The health of the service."""

    status: str


class ErrorDetail(Answer, frozen=True):
    """What was wrong: a code for programs, a message for people, and the id of the request in the log."""

    code: str
    message: str
    request_id: str | None = None


class ErrorResponse(Answer, frozen=True):
    """The response to a request that failed; nothing was changed."""

    error: ErrorDetail
