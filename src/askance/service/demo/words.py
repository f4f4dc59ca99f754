"""The words of the demonstration: sentence templates and word lists."""

from typing import NamedTuple

GREETINGS = ("hi", "hello", "good morning", "dear team", "hey", "to whom it may concern", "hi there", "")
ENDINGS = (
    "thanks",
    "please answer soon",
    "kind regards",
    "thank you in advance",
    "best wishes",
    "let me know",
    "cheers",
    "",
    "",
)
# Sentences that occur in all classes.
ASIDES = (
    "i have been a customer for {number} years",
    "this is about order {number}",
    "my account is {name}{number}",
    "i wrote on {day} already",
    "see also ticket {number}",
    "we are a small {trade}",
    "my colleague {name} told me to write",
    "i use it every {day}",
    "sent from my {device}",
)
NAMES = ("anna", "boris", "chen", "dilek", "emil", "fatima", "goran", "hanna", "ivo", "jana")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "weekend", "morning")
TRADES = ("bakery", "school", "workshop", "clinic", "library", "hotel", "garage", "studio")
DEVICES = ("phone", "tablet", "laptop", "old computer", "watch")
AMOUNTS = ("{number} euros", "{number} pounds", "{number} dollars", "the full price", "a fee of {number}")


class Subject(NamedTuple):
    """What a class of messages is about: sentences, and words for their gaps; later words come into use later."""

    sentences: tuple[str, ...]
    things: tuple[str, ...]
    troubles: tuple[str, ...]


SUBJECTS = {
    "billing": Subject(
        (
            "the {thing} of last month is {trouble}",
            "why was i {trouble} {amount}",
            "my {thing} shows {amount} and that is {trouble}",
            "please send the {thing} again",
            "i would like to change my {thing}",
            "the {thing} was {trouble} although i cancelled on {day}",
            "can you explain the {thing} of {amount}",
            "i still wait for the {thing} of {amount}",
            "our {trade} needs a {thing} with the new address",
            "the card was {trouble} at the {thing}",
        ),
        (
            "invoice",
            "bill",
            "refund",
            "payment",
            "receipt",
            "subscription",
            "direct debit",
            "discount",
            "tax number",
            "credit note",
            "annual plan",
            "voucher",
        ),
        (
            "wrong",
            "charged twice",
            "too high",
            "declined",
            "overdue",
            "missing",
            "charged",
            "not what we agreed",
            "converted badly",
            "rounded up",
        ),
    ),
    "bug": Subject(
        (
            "the {thing} {trouble} since the last update",
            "when i open the {thing} it {trouble}",
            "the {thing} {trouble} on my {device}",
            "i see an error in the {thing} every {day}",
            "after i log in the {thing} {trouble}",
            "the {thing} worked on {day} and now it {trouble}",
            "is it known that the {thing} {trouble}",
            "i cannot use the {thing} because it {trouble}",
            "how do i reset the {thing}, it {trouble}",
        ),
        (
            "app",
            "login page",
            "search",
            "export",
            "password form",
            "upload",
            "settings page",
            "calendar",
            "payment page",
            "notification",
            "dark mode",
            "map view",
        ),
        (
            "crashes",
            "freezes",
            "stays blank",
            "shows an error",
            "is very slow",
            "does not load",
            "loses my changes",
            "logs me out",
            "ignores my clicks",
            "loops for ever",
        ),
    ),
    "praise": Subject(
        (
            "the {thing} is {trouble}",
            "i just want to say that your {thing} is {trouble}",
            "we love the {thing}, it is {trouble}",
            "{name} from your team was {trouble}",
            "the refund came at once, {trouble} {thing}",
            "since the update the {thing} is {trouble}",
            "our {trade} recommends the {thing} to everybody",
            "finally a {thing} that is {trouble}",
        ),
        (
            "service",
            "app",
            "support",
            "new search",
            "calendar",
            "team",
            "export",
            "design",
            "help page",
            "dark mode",
        ),
        (
            "wonderful",
            "great",
            "so helpful",
            "very friendly",
            "fast",
            "brilliant",
            "a pleasure to use",
            "outstanding",
            "delightful",
        ),
    ),
    "spam": Subject(
        (
            "win {amount} with our {thing} now",
            "you were chosen for a {trouble} {thing}",
            "cheap {thing}, {trouble}, order on {day}",
            "earn {amount} a {day} from home with this {thing}",
            "your {thing} expires, click here for a {trouble} renewal",
            "we improve the ranking of your {trade}, {trouble} {thing}",
            "dear friend, i have {amount} for you, send your {thing}",
        ),
        (
            "casino",
            "lottery",
            "pills",
            "crypto coins",
            "loan",
            "watches",
            "bank details",
            "backlinks",
            "gift card",
        ),
        ("free", "guaranteed", "secret", "limited", "risk free", "exclusive", "miracle", "discreet"),
    ),
}
