"""What pages load."""

from askance.service.web.assets import ASSETS


def test_all_that_any_page_loads_is_small():
    assert sum(len(asset.packed) for asset in ASSETS.values()) < 100_000
