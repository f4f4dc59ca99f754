"""What the register says about a data set: what it is, where its public files are, and how each paper used it."""

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
    """A table without a header: cells separated by commas, one of the columns the label.

    Parameters
    ----------
    label : int, default=-1
        The column of the label, from 0; -1 is the last one.
    positive : str or None, default=None
        The label of the positive class; None for the larger one.
    categories : tuple of int, default=()
        The columns of names. They become one 0/1 feature per name. A cell `?` is missing: all zeros in such a
        column, the median of the column among numbers.
    """

    label: int = -1
    positive: str | None = None
    categories: tuple[int, ...] = ()


class File(NamedTuple):
    """A file at a public address.

    Parameters
    ----------
    url : str
        The address.
    table : Table or None, default=None
        How to read a table; None for svmlight.
    sha256 : str or None, default=None
        The checksum, if it is published.
    saved_as : str, default=""
        The name of the file in the cache; by default the end of the address.
    """

    url: str
    table: Table | None = None
    sha256: str | None = None
    saved_as: str = ""

    @property
    def name(self) -> str:
        """The name of the file in the cache."""
        return self.saved_as or self.url.rpartition("/")[2]


class Use(NamedTuple):
    """How a paper prepared a data set, and the size that it states.

    Parameters
    ----------
    rows, features : int or None, default=None
        The size; None where the paper does not state it.
    steps : tuple of Step, default=()
        What is done to the rows, in this order.
    joined : tuple of str, default=()
        The data sets whose rows follow, before any step.
    note : str, default=""
        What else there is to say.
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
    """A data set of the papers, as its public source has it.

    Parameters
    ----------
    about : str
        What it is about.
    rows : int
        The number of rows.
    features : int or None
        The number of features; None if it depends on how text is split into words.
    classes : int or None
        The number of classes; None if the data set has no labelled rows, see `holds`.
    page : str
        The web page of the data set.
    licence : str
        The terms of use.
    files : tuple of File, default=()
        The files of the rows, one after the other; without any, get the data from `page` by hand.
    uses : dict of str to Use
        How each paper used it.
    samples : tuple of str, default=()
        Names under which a part of it may be on this machine.
    view : int or None, default=None
        The view to take, if an archive has several.
    labels : str or None, default=None
        The array of labels to take, if an archive has several.
    holds : str
        What the data set consists of.
    """

    about: str
    rows: int
    features: int | None
    classes: int | None
    page: str
    licence: str
    files: tuple[File, ...] = ()
    uses: dict[str, Use] = {}  # noqa: RUF012 - the register is never changed
    samples: tuple[str, ...] = ()
    view: int | None = None
    labels: str | None = None
    holds: str = "labelled rows"
