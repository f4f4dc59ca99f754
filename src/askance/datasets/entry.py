"""What the register says of a data set: what it is, where its public home is, and how each paper used it."""

from typing import NamedTuple

from askance.datasets.steps import Step

PAPERS = {
    "cesabianchi2006": "Cesa-Bianchi, Gentile, Zaniboni 2006",
    "dada2021": "Zhai, Koriche, Gao, Zhu, Li 2022",
    "lu2016": "Lu, Zhao, Hoi 2016",
    "nguyen2011": "Nguyen, Chang, Hui 2011",
    "yan2017": "Yan 2017 (thesis)",
}

CC_BY = "CC BY 4.0"
NOT_STATED = "not stated by its home"
RESEARCH = "for research use"


class Table(NamedTuple):
    """A table without a header: cells separated by commas, one column the label.

    `label` is the label's column from 0 (-1 is the last). `positive` is the label of the positive class where that
    is not the larger one. `categories` are the columns of names, which become a 0/1 feature for each name; a cell
    `?` is missing: all zero there, the column's median among numbers.
    """

    label: int = -1
    positive: str | None = None
    categories: tuple[int, ...] = ()


class File(NamedTuple):
    """A file at a public address; `table` is None for svmlight, size and checksum where they are not published."""

    url: str
    table: Table | None = None
    size: int | None = None
    sha256: str | None = None
    saved_as: str = ""

    @property
    def name(self) -> str:
        """What the file is called in the cache: unless said, the end of its address."""
        return self.saved_as or self.url.rpartition("/")[2]


class Use(NamedTuple):
    """How a paper prepared a data set, and how large it says that it was; None where it does not say.

    `joined` are the data sets whose rows follow; `steps` are what is then done, in their order.
    """

    rows: int | None = None
    features: int | None = None
    steps: tuple[Step, ...] = ()
    joined: tuple[str, ...] = ()
    note: str = ""

    @property
    def words(self) -> str:
        """The preparation in words."""
        joined = [f"followed by the rows of {name}" for name in self.joined]
        return "; ".join([*joined, *(step.words for step in self.steps)]) or "as it is"


class Entry(NamedTuple):
    """A data set of the papers, as its public home has it.

    `files` hold its rows, one after the other; without any, `page` says where it can be had by hand. `features` is
    None where that depends on how text is turned into words, `classes` where `holds` says that there are none.
    `samples` are names under which a part of it may be found. `view` is the one of several views that is taken,
    and `labels` the array of labels, in an archive that has several.
    """

    about: str
    rows: int
    features: int | None
    classes: int | None
    page: str
    licence: str
    files: tuple[File, ...] = ()
    uses: dict[str, Use] = {}  # noqa: RUF012 - nobody writes into a register
    samples: tuple[str, ...] = ()
    view: int | None = None
    labels: str | None = None
    holds: str = "labelled rows"
