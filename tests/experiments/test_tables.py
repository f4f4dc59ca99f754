"""Tables: what stands where, and that any name comes out as it is, in Markdown and in HTML."""

import dataclasses
import html.parser
import math

import pytest
from markdown_it import MarkdownIt

from askance.experiments.sweep.results import NOT_TUNED
from askance.experiments.sweep.tables import ResultTable, page, rank_table, result_table
from made_up_results import SMALL, results_of, sweep

NASTY = "<b>a|b</b> *c* _d_ `e` &amp; [x](y) \\ $1 ~~z~~"


class Cells(html.parser.HTMLParser):
    """The text and the classes of each cell of a page, row by row, and every tag that it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str]]] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag == "tr":
            self.rows.append([])
        self._open = tag in ("td", "th", "strong") and bool(self.rows)
        if tag in ("td", "th"):
            self.rows[-1].append(("", dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            text, classes = self.rows[-1][-1]
            self.rows[-1][-1] = (text + data, classes)


def texts(rows: list[list[tuple[str, str]]]) -> list[list[str]]:
    return [[text for text, _ in row] for row in rows]


def rendered(table: ResultTable) -> Cells:
    """The cells of the Markdown as a reader of it sees them."""
    return Cells(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(table.to_markdown()))


def test_markdown_by_hand() -> None:
    lines = result_table(results_of(SMALL)).to_markdown().splitlines()
    assert lines[0] == "**F in %**"
    assert [" ".join(line.split()) for line in lines[2:8] if "---" not in line] == [
        "| algorithm | one, 10 % | one, all labels | two, 10 % | two, all labels |",
        "| PAA | **70.0 ± 14.1** | – | **50.0 ± 0.0** | – |",
        "| RPA | 65.0 ± 7.1 • | – | **50.0 ± 0.0** | – |",
        "| PEA | 40.0 ± 14.1 | – | 37.5 ± 17.7 • | – |",
        "| PA | – | **90.0 ± 0.0** | – | **87.5 ± 17.7** |",
    ]
    assert len({len(line) for line in lines[2:8]}) == 1  # aligned
    assert lines[-1].startswith("Mean ± standard deviation over 2 permutations.")


def test_html_holds_the_same() -> None:
    rows = Cells(result_table(results_of(SMALL)).to_html()).rows
    assert texts(rows) == [
        ["", "one", "two"],
        ["algorithm", "10 %", "all labels", "10 %", "all labels"],
        ["PAA", "70.0 ± 14.1", "–", "50.0 ± 0.0", "–"],
        ["RPA", "65.0 ± 7.1 •", "–", "50.0 ± 0.0", "–"],
        ["PEA", "40.0 ± 14.1", "–", "37.5 ± 17.7 •", "–"],
        ["PA", "–", "90.0 ± 0.0", "–", "87.5 ± 17.7"],
    ]
    best = {(text, row[0][0]) for row in rows for text, classes in row if "best" in classes.split()}
    assert best == {
        ("70.0 ± 14.1", "PAA"),
        ("50.0 ± 0.0", "PAA"),
        ("50.0 ± 0.0", "RPA"),
        ("90.0 ± 0.0", "PA"),
        ("87.5 ± 17.7", "PA"),
    }
    assert 'colspan="2"' in result_table(results_of(SMALL)).to_html()


def test_a_cell_tells_its_interval_and_what_was_asked() -> None:
    runs = {("one", "PAA", 0.1): [0.8, 0.6], ("one", "RPA", 0.1): [0.5]}
    page = result_table(results_of(runs, asked=[0.1, 0.12, 0.09])).to_html()
    assert 'title="2 runs, 95 % interval of the mean -57.06 to 197.06, 11 % of the labels asked"' in page
    assert 'title="1 run, 9 % of the labels asked"' in page


@pytest.mark.parametrize(
    ("metric", "title", "cell"),
    [
        ("accuracy", "Accuracy in %", "50.0 ± 14.1"),
        ("query_ratio", "Query ratio in %", "50.0 ± 14.1"),
        ("cost", "Cost", "0.50 ± 0.14"),
    ],
)
def test_shares_are_in_per_cent_and_other_metrics_are_not(metric: str, title: str, cell: str) -> None:
    table = result_table(results_of({("one", "PAA", 0.1): [0.4, 0.6]}, metric))
    assert (table.title, table.lines[0].entries[0].text) == (title, cell)


@pytest.mark.parametrize(
    ("seconds", "cell"),
    [([0.001, 0.003], "0.0020 ± 0.0014"), ([1000, 3000], "2,000 ± 1,414"), ([0, 0], "0.0 ± 0.0")],
)
def test_numbers_that_are_no_shares_show_two_digits_that_count(seconds: list[float], cell: str) -> None:
    results = results_of({("one", "PAA", 0.1): [0.4, 0.6]}, seconds=seconds)
    assert result_table(results, "seconds").lines[0].entries[0].text == cell


@pytest.mark.parametrize(("tuned_on", "marks"), [("first half", 0), (NOT_TUNED, 1)])
def test_shares_of_labels_that_were_set_are_not_marked(tuned_on: str, marks: int) -> None:
    runs = {("one", "PAA", 0.1): [0.8, 0.6], ("one", "RPA", 0.1): [0.7, 0.6]}
    results = results_of(runs, asked=[0.1, 0.12, 0.08, 0.09], tuned_on=[tuned_on] * 4)
    table = result_table(results, "asked")
    entries = [line.entries[0] for line in table.lines]
    assert sum(entry.is_best for entry in entries) == marks
    assert ("Bold" in table.note) == bool(marks)
    assert marks or not any(entry.ties for entry in entries)
    assert any(line.entries[0].is_best for line in result_table(results).lines)


def test_accuracy_stands_beside_that_of_the_most_frequent_class() -> None:
    runs = {("one", "PAA", 0.1): [0.5], ("two", "PAA", 0.1): [0.7]}
    results = dataclasses.replace(results_of(runs, "accuracy"), most_frequent={"one": 0.627, "two": 0.5})
    last = result_table(results).lines[-1]
    assert (last.head, [entry.text for entry in last.entries]) == ("most frequent class", ["62.7", "50.0"])
    assert [line.head for line in result_table(results, "asked").lines] == ["PAA"]


def test_digits_can_be_chosen() -> None:
    results = results_of({("one", "PAA", 0.125): [0.12345, 0.12345]})
    table = result_table(results, digits=3)
    assert (table.lines[0].entries[0].text, table.heads) == ("12.345 ± 0.000", [("one", "12.5 %")])


def test_one_permutation_has_no_deviation() -> None:
    table = result_table(results_of({("one", "PAA", 0.1): [0.5]}))
    assert table.lines[0].entries[0].text == "50.0"
    assert table.note == "One permutation. Bold: the best of its column."


def test_what_has_no_value_is_a_dash() -> None:
    table = result_table(results_of({("one", "PAA", 0.1): [math.nan, 0.5]}))
    assert table.lines[0].entries[0].text == "–"


def test_unequal_counts_are_told() -> None:
    table = result_table(results_of({("one", "PAA", 0.1): [0.5, 0.6, 0.7], ("one", "RPA", 0.1): [0.5, 0.6]}))
    assert "over 2 to 3 permutations" in table.note


def test_ranks_by_hand() -> None:
    table = rank_table(results_of(SMALL))
    assert table.title == "Average ranks by F"
    assert texts(rendered(table).rows) == [
        ["algorithm", "10 %", "all labels"],
        ["PAA", "1.25", "–"],
        ["RPA", "1.75 •", "–"],
        ["PEA", "3.00 •", "–"],
        ["PA", "–", "1.00"],
        ["data sets", "2", "2"],
        ["Friedman's test, p", "0.156", "–"],
        ["critical difference", "2.34", "–"],
    ]
    assert "**1.25**" in table.to_markdown()
    rows = Cells(table.to_html()).rows
    assert texts(rows) == texts(rendered(table).rows)  # one row of heads, for there are no upper ones


def test_far_ranks_are_no_ties() -> None:
    runs = {
        (f"data {number}", name, 0.1): [value, value + number / 100]
        for number in range(12)
        for name, value in (("A", 0.9), ("B", 0.8), ("C", 0.7))
    }
    # q √(3 · 4 / (6 · 12)) = 0.957 is less than a rank.
    entries = [line.entries[0] for line in rank_table(results_of(runs)).lines]
    assert [(entry.text, entry.is_best, entry.ties) for entry in entries[:3]] == [
        ("1.00", True, False),
        ("2.00", False, False),
        ("3.00", False, False),
    ]
    assert [entry.text for entry in entries[3:]] == ["12", "< 0.001", "0.96"]


@pytest.mark.parametrize("make", [result_table, rank_table])
def test_any_name_comes_out_as_it_is(make: type) -> None:
    results = results_of({(NASTY, NASTY, 0.1): [0.5, 0.6], (NASTY, "PAA\n\n| x", 0.1): [0.4, 0.6]})
    table = make(results)
    for cells in (rendered(table), Cells(table.to_html())):
        assert NASTY in [row[0][0] for row in cells.rows]
        assert not {"b", "a", "em", "code", "s", "del"} & set(cells.tags)
    assert "PAA | x" in [row[0][0] for row in rendered(table).rows]
    heads = texts(rendered(table).rows)[0]
    assert heads == ["algorithm", f"{NASTY}, 10 %" if make is result_table else "10 %"]


def test_a_page_needs_nothing_else_and_has_both_colour_schemes() -> None:
    results = sweep(permutations=2)
    text = page([result_table(results), rank_table(results)], "<A sweep>")
    cells = Cells(text)
    assert text.startswith("<!doctype html>")
    assert "<title>&lt;A sweep&gt;</title>" in text
    assert cells.tags.count("table") == 2
    assert not {"script", "link", "img", "iframe"} & set(cells.tags)
    assert not {"src", "href", "style", "onclick"} & set(cells.attributes)
    assert "url(" not in text
    assert "color-scheme: light dark" in text


def test_nothing_makes_an_empty_table() -> None:
    nothing = results_of(SMALL).where(algorithm="PA", rate=0.1)
    for table in (result_table(nothing), rank_table(nothing)):
        assert table.heads == []
        assert table.to_markdown()
        assert "<table>" in table.to_html()
