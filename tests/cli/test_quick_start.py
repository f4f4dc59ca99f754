"""Starting commands: without looking for garbage, and with rarely used modules on their first use."""

import gc
import sys

import pytest

from askance.cli.quick_start import LazyFinder, quick_start


@pytest.fixture
def unfrozen():
    yield
    gc.unfreeze()


def test_a_start_looks_for_no_garbage_and_later_looks_skip_what_it_made(unfrozen):
    with quick_start():
        assert not gc.isenabled()
        made = [[] for _ in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= len(made)


def test_after_a_start_that_fails_all_is_as_before(unfrozen):
    with pytest.raises(ImportError), quick_start():
        import askance.no_such_module  # noqa: F401
    assert gc.isenabled()
    assert LazyFinder not in sys.meta_path
