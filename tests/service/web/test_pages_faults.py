"""Everybody works at once while lines and the service fail: what a page showed as done is done, and done once."""

import asyncio
import os
from collections import Counter
from pathlib import Path

import pytest

from faulty_desk import check, run

MINUTES = float(os.environ.get("ASKANCE_FAULT_MINUTES", "30"))


def survives(directory: Path, seconds: float, random_state: int) -> None:
    outcome = asyncio.run(run(directory, seconds, random_state))
    did = check(outcome, directory / "store.db")
    people = outcome.people.values()
    work = sum((person.did for person in people), Counter[str]())
    in_vain = sum((person.in_vain for person in people), Counter[str]())
    print(f"\nin {seconds:g} s: answers {dict(did)}; faults {dict(outcome.faults)}; other work {dict(work)}")
    print(f"tried in vain: {dict(in_vain)}")
    assert did["label"]
    assert outcome.faults["killed"]


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_in_a_minute_of_faults(tmp_path: Path) -> None:
    survives(tmp_path, 60.0, 1)


@pytest.mark.soak
def test_nor_in_half_an_hour(tmp_path: Path) -> None:
    survives(tmp_path, 60 * MINUTES, 2)
