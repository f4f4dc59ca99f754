"""The check of words finds what it should, and nothing in plain English."""

import importlib.util
import pathlib
import subprocess
import sys
from types import ModuleType

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "check_words.py"


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_words", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_words = loaded()

CLEAN = """
Keep one model per key. The default is 8383, and the current model is fitted again from scratch.
We recommend this; you can amend a label. There is no label, there is no file, and it is no longer needed.
It is no faster than before. This is no reason to stop. A row of the table, a label of the item.
Two mistakes in a row a second time, and the items a user has rated.
Three backyards and a yardstick. Predictions are reported. Two classes differ significantly.
The audit log records actions. Ask a labeller a question. Henceforth, indeed, amended, recommended.
Store a row and a label. A wishlist is not a request. It told us a story about a wish.
"""


@pytest.mark.parametrize("rule", check_words.RULES, ids=lambda rule: rule.sample)
def test_each_pattern_finds_its_sample_and_says_what_to_write(rule) -> None:
    text = f"plain\n{rule.sample}\n"
    found = list(check_words.hits(text))
    assert any(hit.line == 2 and hit.instead == rule.instead for hit in found)
    assert not list(check_words.hits(text.replace(rule.sample, f"{rule.sample}  # words: allow")))


def test_case_matters_only_for_names_of_classes() -> None:
    assert [hit.found for hit in check_words.hits("Anew. ANEW")] == ["Anew", "ANEW"]
    assert not list(check_words.hits("what we wish"))


def test_plain_english_is_left_alone() -> None:
    assert list(check_words.hits(CLEAN)) == []


def test_the_command_prints_places_and_fails(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("fine\nfitted anew\n")
    done = subprocess.run([sys.executable, SCRIPT, page], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == f"{page}:2: 'anew': write again, from scratch\n"
    page.write_text("fine\n")
    assert subprocess.run([sys.executable, SCRIPT, page], check=False).returncode == 0


def test_the_pages_use_no_such_words() -> None:
    generated = {"http-api.md", "live-operations.md"}  # as good as the sources that they are made from
    pages = [
        page for page in check_words.files() if page.is_relative_to(ROOT / "docs") and page.name not in generated
    ]
    assert len(pages) > 60
    assert list(check_words.report(pages)) == []
