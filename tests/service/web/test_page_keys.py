"""Which keys the classes of a task have on the labelling page."""

import pytest

from askance.service.shortcuts import page_keys

MANY = [f"class {number}" for number in range(1, 13)]


@pytest.mark.parametrize(
    ("classes", "chosen", "keys"),
    [
        (["ham", "spam"], {}, "h=ham s=spam 1=ham 2=spam"),
        (["bug", "billing", "Praise"], {}, "p=Praise 1=bug 2=billing 3=Praise"),
        (["ham", "spam"], {"spam": "X"}, "x=spam h=ham 1=ham"),
        (["ham", "hash", "eggs"], {"eggs": "1"}, "1=eggs 2=hash 3=ham"),
        (["under", "above"], {}, "a=above 1=under 2=above"),  # u undoes
        (["0", "1", "other"], {}, "0=0 1=1 o=other"),
        (["?", "é"], {}, "é=é 1=? 2=é"),
    ],
)
def test_few_classes(classes, chosen, keys):
    assert " ".join(f"{key}={name}" for key, name in page_keys(classes, chosen)) == keys


def test_more_than_nine_classes_have_digits_and_chosen_keys_only():
    assert page_keys(MANY, {}) == [(str(number), f"class {number}") for number in range(1, 10)]
    keys = dict(page_keys(MANY, {"class 2": "c", "class 12": "3"}))
    assert keys["c"] == "class 2"
    assert keys["3"] == "class 12"
    assert "2" not in keys
    assert len(keys) == 9
