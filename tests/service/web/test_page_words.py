"""The words of the pages: every language has all of them, and no page has words without a translation."""

import re

import pytest
from starlette.requests import Request

import askance.service.api.table as api
from askance.service.api.route import Route
from askance.service.web.assets import CATALOGUES
from askance.service.web.languages import DEFAULT, NAMES, Words, language_of, words_for
from page_words import HOLE, WEB, Script, all_untranslated, catalogue, messages, untranslated_in_template

OTHERS = [language for language in NAMES if language != DEFAULT]
# The categories of whole numbers, by the rules of CLDR. Millions in French and Spanish fall back to `other`.
PLURALS = {
    "de": {"one", "other"},
    "fr": {"one", "other"},
    "es": {"one", "other"},
    "zh": {"other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
}
# Words that are the same in every language, or that nobody reads.
EXCEPTIONS = {
    *("askance", "· askance", "Parquet", "Hugging Face", "Edge", "Opera", "Esc"),  # names
    *("add items",),  # the name of a section, in the address of nothing and in no text
    *("ham\nspam", "ham = h\nspam = s"),  # examples of what is typed
    *("askance push FILE --task {} --url {}{}", "askance token rotate", "askance token change"),  # commands
    *("detail small soft", "tag skipped", "tag {}", "bar outlined", "noopener noreferrer"),  # classes and the like
    *("too long to store",),  # an error that is caught where it is thrown
}


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_every_message_and_no_other(language: str) -> None:
    found, wanted = catalogue(language), {message.key: message for message in messages()}
    assert sorted(wanted.keys() - found.keys()) == []
    assert sorted(found.keys() - wanted.keys()) == []
    assert list(found) == sorted(found)


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_holes_and_the_plurals_of_their_messages(language: str) -> None:
    found = catalogue(language)
    for message in messages():
        said = found[message.key]
        if isinstance(said, str):
            assert not message.forms, message
            assert set(HOLE.findall(said)) == message.holes, message
        else:
            assert message.forms, message
            assert said.keys() == PLURALS[language], message
            for form in said.values():
                assert message.holes - {"count"} <= set(HOLE.findall(form)) <= message.holes, (message, form)
            assert set(HOLE.findall(said["other"])) == message.holes, message


# What buttons show, and what they are called. People who speak to their browser say what they see.
CALLED = {
    "Archive": "Archive {task}",
    "Change": "Change the rights of {name}",
    "Download": "Download version {version}",
    "End|verb": "End a session of {name}",
    "New secret": "Create a new secret for {name}",
    "Pause": "Pause {task}",
    "Revoke": "Revoke the token of {name}",
    "Roll back": "Roll back to version {version}",
    "Sign-in link": "Create a sign-in link for {name}",
    "Start": "Start {task}",
}


@pytest.mark.parametrize("language", OTHERS)
def test_the_name_of_a_button_contains_its_words(language: str) -> None:
    found = catalogue(language)
    for shown, called in CALLED.items():
        assert str(found[shown]).lower() in str(found[called]).lower(), (shown, found[shown], found[called])


def test_a_message_has_one_meaning() -> None:
    """Whether it depends on a number does not differ between the places where it is used."""
    plural: dict[str, bool] = {}
    for message in messages():
        assert plural.setdefault(message.key, bool(message.forms)) == bool(message.forms), message
        assert message.key.count("|") <= 1, message


def test_no_page_has_words_without_a_translation() -> None:
    found = [line for line in all_untranslated() if re.sub(r"^[\w.-]+:(\d+:)? ", "", line) not in EXCEPTIONS]
    assert found == []


def test_words_without_a_translation_would_be_found(tmp_path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<p title="A tip">{{ _("Known") }}</p><b>Forgotten</b>{{ "Also this" if x }}<code>no words</code>'
    )
    assert [line.rpartition(": ")[2] for line in untranslated_in_template(page)] == [
        "A tip",
        "Forgotten",
        "Also this",
    ]
    script = tmp_path / "page.js"
    script.write_text(
        'el("p", { class: "a b", title: "tip" }, state, " forgotten"); at("id", t("Known {count}", { count }));\n'
        'notify(`${name} is gone`, "good"); const text = isLate ? "Too late" : t(DAYS, { count });\n'
        'const DAYS = { one: "{count} day", other: "{count} days" };'
    )
    found = Script(script)
    assert [line.partition(": ")[2] for line in found.untranslated] == [
        "tip",
        " forgotten",
        "{} is gone",
        "Too late",
    ]
    assert [message.key for message in found.messages] == ["Known {count}", "{count} days"]


def test_styles_follow_the_direction_of_the_page() -> None:
    physical = re.compile(
        r"(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|[{;]\s*(?:left|right):"
    )
    found = {path.name: physical.findall(path.read_text()) for path in WEB.glob("static/*.css")}
    assert {name: rules for name, rules in found.items() if rules} == {}


def test_all_pages_write_numbers_in_one_way() -> None:
    """Each format of its own would have to remember that nobody wants to read "-0"."""
    found = {path.name: path.read_text().count("new Intl.NumberFormat") for path in WEB.glob("static/*.js")}
    assert {name: count for name, count in found.items() if count} == {"language.js": 1}


def test_every_action_of_the_audit_log_has_a_name() -> None:
    tables = [
        value for value in vars(api).values() if isinstance(value, tuple) and value and isinstance(value[0], Route)
    ]
    audited = {route.name for table in tables for route in table if route.audited}
    named = set(re.findall(r"^  (\w+): t\(", (WEB / "static" / "audit-actions.js").read_text(), re.MULTILINE))
    assert audited
    assert audited - named == set()


def test_an_english_page_has_no_catalogue() -> None:
    assert set(CATALOGUES) == {f"{language}.json" for language in OTHERS}


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "pt-BR,fr;q=0.5,es;q=0.7", "es"),
        ("", "tlh", "en"),
        ("", "en, de", "en"),
        ("", "de;q=0, zh-Hans-CN;q=0.3", "zh"),
        ("", "de;q=much, AR", "ar"),
        ("ar", "de", "ar"),
        ("tlh", "de", "de"),
        ("../de", "*", "en"),
    ],
)
def test_the_reader_chooses_and_else_the_browser(chosen: str, accepted: str, language: str) -> None:
    assert language_of(chosen, accepted) == language
    headers = [(b"cookie", f"askance_language={chosen}".encode()), (b"accept-language", accepted.encode())]
    assert words_for(Request({"type": "http", "headers": headers})).language == language


def test_names_in_a_text_are_escaped_and_keep_their_direction() -> None:
    assert Words("en")("Label|verb") == "Label"
    assert Words("de")("Label|verb") == "Labeln"
    assert Words("en")("Sign in as {name}", name="<b>") == "Sign in as &lt;b&gt;"
    assert Words("de")("Sign in as {name}", name="{x}") == "Als {x} anmelden"
    assert "\u2068ann\u2069" in Words("ar")("Sign in as {name}", name="ann")
