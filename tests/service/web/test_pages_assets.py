"""What pages load."""

import re

from askance.service.web.assets import ASSETS
from paths import ROOT


def test_all_that_any_page_loads_is_small():
    assert sum(len(asset.packed) for asset in ASSETS.values()) < 100_000


def test_the_values_of_the_style_are_documented():
    page = (ROOT / "docs" / "explanation" / "looks.md").read_text("utf-8")
    style = ASSETS["askance.css"].content.decode()
    values = set(re.findall(r"^  (--[a-z0-9-]+):", style[: style.index("}")], re.MULTILINE))
    named = set(re.findall(r"`(--[a-z0-9-]+)`", page)) - {"--tone"}  # of classes, in the style of the desk
    assert values - {f"--gap-{number}" for number in range(2, 6)} == named
