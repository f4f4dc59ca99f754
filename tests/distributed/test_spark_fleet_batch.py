"""What a micro-batch does to a page of a fleet on Spark, without Spark."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from askance.distributed.spark_fleet import FleetSettings, StreamSettings
from askance.distributed.spark_fleet import page as pages
from askance.distributed.spark_fleet.batch import OutputLine, process
from askance.distributed.spark_fleet.events import LABEL, ROW, WITHOUT_ORDER, Event
from askance.distributed.spark_fleet.page import Page
from naive.spark_fleet import PlainFleet, as_lines
from spark_streams import MicroBatch, made_up

FLEET = FleetSettings("PAA-II", {"delta": 1.0}, ["ham", "spam"], bits=10, random_state=3, dtype="float64")
SETTINGS = StreamSettings(FLEET)
ALL = StreamSettings(replace(FLEET, algorithm="PA-II", parameters={}))  # asks about every row


def row(key: str | None, id_: str | None, order: int = 0, **features: Any) -> Event:
    given = {"text": None, "record": None, "indices": None, "values": None} | (features or {"text": "some words"})
    return Event(ROW, key, id_, order, label=None, **given)


def label(key: str, id_: str, said: str | None = "spam") -> Event:
    return Event(LABEL, key, id_, WITHOUT_ORDER, None, None, None, None, said)


def worked(page: Page, settings: StreamSettings, *events: Event) -> list[tuple[Any, ...]]:
    """Kind, id, outcome and reason of each."""
    found = process(page, events, settings)
    return [(each.kind, each.id, each.outcome, each.reason) for each in found]


def events_of(batch: MicroBatch) -> list[Event]:
    rows = [
        Event(
            ROW,
            line["key"],
            line["id"],
            line["order"],
            line.get("text"),
            json.dumps(line["record"]) if "record" in line else None,
            np.array(line["indices"]) if "indices" in line else None,
            np.array(line["values"]) if "values" in line else None,
            None,
        )
        for line in batch.rows
    ]
    return rows + [label(line["key"], line["id"], line["label"]) for line in batch.labels]


def as_dicts(outcomes: list[OutputLine]) -> list[dict[str, Any]]:
    return [outcome._asdict() for outcome in outcomes]


@pytest.mark.slow
def test_pages_do_what_a_plain_fleet_does_whatever_the_order_of_arrival() -> None:
    batches = made_up(keys=20, rows=600, batches=5)
    plain = PlainFleet(SETTINGS)
    kept = pages.pack({}, FLEET.dtype)
    for batch in batches:
        events = events_of(batch)
        random.Random(5).shuffle(events)
        page = pages.unpack(kept, pages.VERSION, FLEET.dtype)
        outcomes = process(page, events, SETTINGS)
        kept = pages.pack(page, FLEET.dtype)
        assert as_lines(as_dicts(outcomes)) == as_lines(plain.micro_batch(*batch))
    assert {key: state.model for key, state in page.items()} == {key: plain.fleet.pack(key) for key in plain.keys}


def test_a_label_may_come_before_its_row_and_is_learned_with_it() -> None:
    page: Page = {}
    assert worked(page, ALL, label("a", "1")) == []
    assert worked(page, ALL, label("a", "1", "ham")) == [("label", "1", "ignored", "was learned before")]
    assert worked(page, ALL, row("a", "1")) == [("row", "1", "decided", None), ("label", "1", "learned", None)]
    assert worked(page, ALL, row("a", "1")) == [("row", "1", "ignored", "came before")]


def test_labels_of_a_key_are_learned_in_the_order_of_its_rounds() -> None:
    page: Page = {}
    worked(page, ALL, row("a", "first", 1), row("a", "second", 2), row("b", "other", 0))
    found = worked(page, ALL, label("b", "other"), label("a", "second"), label("a", "first"))
    assert [id_ for _, id_, _, _ in found] == ["first", "second", "other"]


def test_a_row_and_a_label_that_are_twice_in_a_micro_batch_count_once() -> None:
    page: Page = {}
    found = worked(page, ALL, row("a", "1"), row("a", "1"), label("a", "1"), label("a", "1", "ham"))
    assert found.count(("row", "1", "decided", None)) == 1
    assert found.count(("row", "1", "ignored", "came before")) == 1
    assert found[-1] == ("label", "1", "learned", None)
    assert ("label", "1", "ignored", "was learned before") in found


def test_a_key_forgets_its_oldest_ids() -> None:
    page: Page = {}
    small = ALL._replace(memory=2)
    worked(page, small, label("a", "early"))
    worked(page, small, row("a", "1", 1))
    found = worked(page, small, row("a", "2", 2))
    assert found == [("row", "2", "decided", None), ("label", "early", "ignored", "no row came")]
    worked(page, small, row("a", "3", 3))
    assert list(page["a"].ids) == ["2", "3"]
    assert worked(page, small, label("a", "1")) == []  # of a row forgotten: it now waits for one
    assert page["a"].rounds == 3


BAD_ROWS = {
    "has no features": {"text": None},
    "record, [1]: give a mapping": {"record": "[1]"},
    "record is not JSON: Expecting": {"record": "{"},
    "has different numbers of indices and values": {"indices": np.array([1, 2]), "values": np.array([1.0])},
    "has indices outside 0 to 2**10 - 1": {"indices": np.array([1024]), "values": np.array([1.0])},
    "has an index twice": {"indices": np.array([4, 4]), "values": np.array([1.0, 1.0])},
    "has values that are not finite": {"indices": np.array([4]), "values": np.array([np.nan])},
    "has values too large for float64: scale": {"indices": np.array([4]), "values": np.array([1e200])},
}


@pytest.mark.parametrize(("reason", "features"), BAD_ROWS.items(), ids=list(BAD_ROWS))
def test_a_bad_row_is_ignored_with_a_reason_and_spoils_no_other(reason: str, features: dict[str, Any]) -> None:
    page: Page = {}
    good = {"indices": np.array([7, 3]), "values": np.array([1.0, 2.0])}
    found = worked(page, ALL, row("a", "1", **features), row("a", "2", **good), row("a", "3"))
    assert [outcome for _, _, outcome, _ in found] == ["ignored", "decided", "decided"]
    assert found[0][3].startswith(reason)
    assert worked(page, ALL, row("a", "1"))[0][2] == "decided"  # a sound one may come yet


def test_what_has_no_key_no_id_or_no_class_is_ignored() -> None:
    found = worked({}, ALL, row(None, "1"), row("a", None), label("a", "1", "eggs"), label("a", "1", None))
    assert [reason for *_, reason in found] == ["has no key", "has no id", "is not a class", "is not a class"]


def test_a_page_of_another_version_is_refused() -> None:
    with pytest.raises(
        ValueError, match="pages of version 99, but this version of askance reads version 1: use the version"
    ):
        pages.unpack(b"", 99, "float64")


def test_settings_are_kept_as_one_line_and_refused_if_they_cannot_be_used() -> None:
    assert StreamSettings.from_json(SETTINGS.to_json()) == SETTINGS
    with pytest.raises(ValueError, match="settings of version 9"):
        StreamSettings.from_json('{"version": 9}')
    for text in ("{", "[]", "{}", '{"version": 1, "classes": ["a"], "colour": 1}'):
        with pytest.raises(ValueError, match="damaged"):
            StreamSettings.from_json(text)
    with pytest.raises(ValueError, match="must be text, because labels on Spark are text"):
        StreamSettings(replace(FLEET, classes=[0, 1])).check()
    with pytest.raises(ValueError, match="pages must be a positive integer, not 0"):
        SETTINGS._replace(pages=0).check()
