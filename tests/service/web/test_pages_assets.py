"""What pages load."""

import threading
import time

from askance.service.web.assets import ASSETS, _charts


def test_the_service_goes_on_while_the_charts_are_put_together():
    found = []
    thread = threading.Thread(target=lambda: found.append(_charts.__wrapped__()))
    start = last = time.perf_counter()
    longest = 0.0
    thread.start()
    while thread.is_alive():
        time.sleep(0.005)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    assert b"vegaEmbed" in found[0].content
    assert longest < (time.perf_counter() - start) / 2


def test_all_that_any_page_loads_before_charts_is_small():
    assert sum(len(asset.packed) for asset in ASSETS.values()) < 100_000
