"""Numbers and dates are read as people write them, in the notation that the values of a column show."""

import math
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.data.notation import (
    DAY_FIRST,
    DECIMAL_COMMA,
    DECIMAL_POINT,
    MONTH_FIRST,
    notation_of_dates,
    notation_of_numbers,
    written_date,
    written_number,
)


@pytest.mark.parametrize(
    ("text", "notation", "number"),
    [
        ("1.234,5", DECIMAL_COMMA, 1234.5),
        ("-1.234.567,25", DECIMAL_COMMA, -1234567.25),
        ("12,5", DECIMAL_COMMA, 12.5),
        ("12", DECIMAL_COMMA, 12.0),
        ("1 234,5", DECIMAL_COMMA, 1234.5),
        ("1\u00a0234,5 €", DECIMAL_COMMA, 1234.5),
        ("1\u202f234,5", DECIMAL_COMMA, 1234.5),
        ("€ 12,50", DECIMAL_COMMA, 12.5),
        ("12,5 %", DECIMAL_COMMA, 12.5),
        ("1.5", DECIMAL_COMMA, None),
        ("1,234.5", DECIMAL_COMMA, None),
        ("1,234.5", DECIMAL_POINT, 1234.5),
        ("$1,234,567", DECIMAL_POINT, 1234567.0),
        ("-$12.50", DECIMAL_POINT, -12.5),
        ("$-12.50", DECIMAL_POINT, -12.5),
        ("\u221212.50", DECIMAL_POINT, -12.5),
        ("5%", DECIMAL_POINT, 5.0),
        ("1'234.5", DECIMAL_POINT, 1234.5),
        ("1\u2019234.5", DECIMAL_POINT, 1234.5),
        (".5", DECIMAL_POINT, 0.5),
        ("12,34", DECIMAL_POINT, None),
        ("1,2345", DECIMAL_POINT, None),
        ("0,125", DECIMAL_POINT, None),
        ("0,125", DECIMAL_COMMA, 0.125),
        ("1,234 567", DECIMAL_POINT, None),
        ("--5", DECIMAL_POINT, None),
        ("$", DECIMAL_POINT, None),
        ("", DECIMAL_POINT, None),
        ("0151 234 567", DECIMAL_POINT, None),
        ("١٢", DECIMAL_POINT, None),
    ],
)
def test_numbers(text, notation, number):
    assert written_number(text, notation) == number


@pytest.mark.parametrize(
    ("values", "notation"),
    [
        (["1.234,5", "7", "12,25"], DECIMAL_COMMA),
        (["12,5", "0,5"], DECIMAL_COMMA),
        (["1,234.5", "7"], DECIMAL_POINT),
        (["1,234", "567"], DECIMAL_POINT),  # three digits after each comma: groups
        (["0,250", "1,125"], DECIMAL_COMMA),  # no group begins with 0
        (["$5", "$1,200"], DECIMAL_POINT),
        (["5 %", "12 %"], DECIMAL_POINT),
        (["1,5", "1.5"], None),
        (["10.120.100.200", "172.168.100.200"], None),  # addresses have no decimals
        (["1,5", "large"], None),
        (["(212) 555"], None),
        (["12:30", "14:15"], None),
        ([3, "1,5"], DECIMAL_COMMA),
    ],
)
def test_the_notation_of_numbers_is_the_one_that_all_of_them_have(values, notation):
    assert notation_of_numbers(values) == notation


@pytest.mark.parametrize(
    ("text", "notation", "moment"),
    [
        ("31.12.2025", DAY_FIRST, date(2025, 12, 31)),
        ("1.2.2025", DAY_FIRST, date(2025, 2, 1)),
        ("31/12/2025 14:30", DAY_FIRST, datetime(2025, 12, 31, 14, 30)),
        ("31-12-2025, 14:30:59", DAY_FIRST, datetime(2025, 12, 31, 14, 30)),
        ("12/31/2025", MONTH_FIRST, date(2025, 12, 31)),
        ("12/31/25", MONTH_FIRST, date(2025, 12, 31)),
        ("12/31/99", MONTH_FIRST, date(1999, 12, 31)),
        ("12/31/2025 2:30 PM", MONTH_FIRST, datetime(2025, 12, 31, 14, 30)),
        ("12/31/2025 12:05 am", MONTH_FIRST, datetime(2025, 12, 31, 0, 5)),
        ("12/31/2025 12:05:00 p.m.", MONTH_FIRST, datetime(2025, 12, 31, 12, 5)),
        ("12/31/2025 14:30 PM", MONTH_FIRST, None),
        ("12/31/2025 0:30 AM", MONTH_FIRST, None),
        ("12/31/2025", DAY_FIRST, None),
        ("31.02.2025", DAY_FIRST, None),
        ("31.12-2025", DAY_FIRST, None),
        ("1.2.25", DAY_FIRST, None),  # rather a version
        ("2025-12-31", DAY_FIRST, None),
        ("31.12.2025 25:00", DAY_FIRST, None),
    ],
)
def test_dates(text, notation, moment):
    found = written_date(text, notation)
    assert found == moment
    assert type(found) is type(moment)


@pytest.mark.parametrize(
    ("values", "notation"),
    [
        (["31.12.2025", "1.2.2025"], DAY_FIRST),
        (["03/04/2025", "12/31/2025"], MONTH_FIRST),
        (["03/04/2025", "31/12/2025"], DAY_FIRST),
        (["12/31/2025", "31/12/2025"], None),
        (["01/02/2025", "01/03/2025", "01/04/2025"], MONTH_FIRST),  # days change more often than months
        (["02/01/2025", "03/01/2025", "04/01/2025"], DAY_FIRST),
        (["03/04/2025"], MONTH_FIRST),
        (["03.04.2025"], DAY_FIRST),
        (["1.2.13", "2.3.10"], None),
        (["31.12.2025", "soon"], None),
        (["3/4", "1/2"], None),
    ],
)
def test_the_notation_of_dates_is_the_one_that_all_of_them_have(values, notation):
    assert notation_of_dates(values) == notation


@given(st.lists(st.floats(-1e9, 1e9).map(lambda number: round(number, 2)), min_size=1), st.sampled_from(",. '"))
def test_written_numbers_come_back(numbers, group):
    point = "." if group == "," else ","
    texts = [f"{number:,.2f}".replace(",", "_").replace(".", point).replace("_", group) for number in numbers]
    notation = notation_of_numbers(texts)
    assert notation == (DECIMAL_POINT if point == "." else DECIMAL_COMMA)
    assert np.array_equal([written_number(text, notation) for text in texts], numbers)


@given(st.lists(st.dates(date(1000, 1, 1)), min_size=1), st.sampled_from("./-"))
def test_written_dates_come_back(days, separator):
    texts = [f"{day.day}{separator}{day.month:02}{separator}{day.year}" for day in [*days, date(2025, 1, 31)]]
    assert notation_of_dates(texts) == DAY_FIRST
    assert [written_date(text, DAY_FIRST) for text in texts] == [*days, date(2025, 1, 31)]


@given(st.text(max_size=12), st.sampled_from([DECIMAL_COMMA, DECIMAL_POINT, DAY_FIRST, MONTH_FIRST]))
def test_any_text_is_read_or_left(text, notation):
    if notation in (DECIMAL_COMMA, DECIMAL_POINT):
        found = written_number(text, notation)
        assert found is None or math.isfinite(found)
    else:
        found = written_date(text, notation)
        assert found is None or isinstance(found, date)


@pytest.mark.parametrize("find", [notation_of_numbers, notation_of_dates])
@pytest.mark.parametrize("values", [[], [True, False], [["1,5"]]])
def test_without_texts_there_is_no_notation(find, values):
    assert find(values) is None
