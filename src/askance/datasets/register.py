"""The register: the data sets of the papers by name.

Sizes are those of the public files. A checksum is given only if it is published; all others are stored at the
first fetch. A preparation follows the text of the paper; assumptions are marked.
"""

from collections.abc import Mapping
from typing import Any

from askance.datasets.entry import CC_BY, NOT_STATED, RESEARCH, Entry, File, Table, Use
from askance.datasets.steps import (
    ClassPair,
    Divided,
    FilledRows,
    OneAgainstRest,
    Presence,
    RandomClass,
    Sample,
    Standardised,
    UnitFeatures,
    UnitRows,
)

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
UCI = "https://archive.ics.uci.edu"
UCI_FILES = f"{UCI}/ml/machine-learning-databases"
UNIT = UnitRows(stated=False)
SCALED = (UnitFeatures(), UNIT)
AS_IS = Use()
NOT_IN_THESIS = "a further imbalanced set, which the thesis does not have"


def binary(about: str, rows: int, features: int, *files: str, uses: dict[str, Use], **more: Any) -> Entry:
    """One or more svmlight files of LIBSVM's page for two classes."""
    homes = tuple(File(f"{LIBSVM}/binary/{file}") for file in files)
    page = f"{LIBSVM}/binary.html"
    return Entry(about, rows, features, 2, page, NOT_STATED, homes, uses)._replace(**more)


def multiclass(
    about: str, rows: int, features: int, classes: int, *files: str, uses: dict[str, Use], **more: Any
) -> Entry:
    """One or more svmlight files of LIBSVM's page for more than two classes."""
    homes = tuple(File(f"{LIBSVM}/multiclass/{file}") for file in files)
    page = f"{LIBSVM}/multiclass.html"
    return Entry(about, rows, features, classes, page, NOT_STATED, homes, uses)._replace(**more)


def uci(
    about: str, rows: int, features: int, classes: int, file: str, table: Table, uses: dict[str, Use]
) -> Entry:
    """A table of the UCI repository."""
    return Entry(about, rows, features, classes, UCI, CC_BY, (File(f"{UCI_FILES}/{file}", table),), uses)


BINARY = {
    "a8a": binary("Adult census income, 0/1 features", 22_696, 123, "a8a", uses={"lu2016": Use(steps=(UNIT,))}),
    "a8a_test": binary("The test part of a8a", 9_865, 123, "a8a.t", uses={}),
    "w8a": binary(
        "Web pages, 0/1 features",
        49_749,
        300,
        "w8a",
        uses={
            "lu2016": Use(steps=(UNIT,)),
            "lu2016-filled": Use(steps=(FilledRows(), UNIT)),
            "yan2017": Use(64_700, 300, joined=("w8a_test",)),
        },
    ),
    "w8a_test": binary("The test part of w8a", 14_951, 300, "w8a.t", uses={}),
    "magic04": uci(
        "Gamma rays (+1) and hadrons in a telescope",
        19_020,
        10,
        2,
        "magic/magic04.data",
        Table(positive="g"),
        {"lu2016": Use(steps=SCALED)},
    ),
    "svmguide1": binary("Astroparticles", 3_089, 4, "svmguide1", uses={"lu2016": Use(steps=SCALED)}),
    "svmguide1_test": binary("The test part of svmguide1", 4_000, 4, "svmguide1.t", uses={}),
    "spambase": uci(
        "Mail, spam (+1) or not, word frequencies",
        4_601,
        57,
        2,
        "spambase/spambase.data",
        Table(positive="1"),
        {"lu2016": Use(steps=SCALED)},
    ),
    "german": binary("Credit risk, numeric", 1_000, 24, "german.numer", uses={"lu2016": Use(steps=(UNIT,))}),
    "splice": binary("Splice junctions of DNA", 1_000, 60, "splice", uses={"lu2016": Use(steps=(UNIT,))}),
    "bupa": uci("Liver disorders", 345, 6, 2, "liver-disorders/bupa.data", Table(), {"nguyen2011": AS_IS}),
    "crx": uci(
        "Credit approval, names as 0/1 features",
        690,
        46,
        2,
        "credit-screening/crx.data",
        Table(positive="+", categories=(0, 3, 4, 5, 6, 8, 9, 11, 12)),
        {"nguyen2011": AS_IS, "nguyen2011-scaled": Use(steps=(UnitFeatures(),))},
    ),
    "webspam_unigram": binary(
        "Web spam, words",
        350_000,
        254,
        "webspam_wc_normalized_unigram.svm.xz",
        uses={"lu2016": Use(350_000, 254, (UNIT,))},
    ),
    "url": binary(
        "Malicious addresses (+1) of 121 days",
        2_396_130,
        3_231_961,
        "url_combined.bz2",
        uses={
            "lu2016": Use(
                1_782_206, 3_231_961, (UNIT,), note="which of the rows the paper left out, it does not say"
            ),
        },
        samples=("url_mini",),
    ),
    "url_day0": Entry(
        "Malicious addresses (+1) of the first day",
        16_000,
        74_113,
        2,
        "http://www.sysnet.ucsd.edu/projects/url/",
        RESEARCH,
        uses={"dada2021": Use(16_000, 74_113)},
    ),
    # The copy of the contest's file whose checksum scikit-learn publishes in sklearn/datasets/_kddcup99.py.
    "kddcup99_10pct": Entry(
        "Connections to a network: normal ones and attacks of 22 kinds",
        494_021,
        118,
        23,
        "https://kdd.ics.uci.edu/databases/kddcup99/kddcup99.html",
        NOT_STATED,
        (
            File(
                "https://ndownloader.figshare.com/files/5976042",
                Table(categories=(1, 2, 3)),
                sha256="8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
                saved_as="kddcup99_10_data.gz",
            ),
        ),
        uses={
            "yan2017-r2l": Use(
                steps=(
                    ClassPair(
                        (2, 3, 4, 8, 13, 19, 21, 22),
                        11,
                        "intrusions from afar, of 8 kinds, (+1) against normal connections (-1)",
                    ),
                    UnitFeatures(),
                ),
                note=NOT_IN_THESIS,
            ),
        },
        labels="y_multi",
    ),
    "gisette": Entry(
        "Handwritten 4 against 9, raw values",
        7_000,
        5_000,
        2,
        f"{UCI}/dataset/170/gisette",
        CC_BY,
        uses={"dada2021": Use(7_000, 5_000, note="the paper keeps its large values")},
    ),
}

TEXT = {
    "20newsgroups": Entry(
        "Messages of 20 newsgroups, by date",
        18_846,
        None,
        20,
        "http://qwone.com/~jason/20Newsgroups/",
        RESEARCH,
        uses={
            "lu2016-comp-rec": Use(
                8_870, 26_214, (ClassPair("comp.", "rec.", "comp (+1) against rec (-1)"), UNIT)
            ),
            "lu2016-rec-sci": Use(
                8_928,
                26_214,
                (ClassPair("rec.", "sci.", "rec (+1) against sci (-1)"), UNIT),
                note="the paper counts 8,928 messages; the version by date has 7,931 of these groups",
            ),
            "yan2017-space": Use(
                steps=(OneAgainstRest(14, "sci.space (+1) against all other groups (-1)"), UnitFeatures()),
                note=NOT_IN_THESIS,
            ),
        },
    ),
    "20newsgroups_words": Entry(
        "Messages of 20 newsgroups with their headers, words counted by tools/count_words.py",
        18_846,
        61_536,
        20,
        "http://qwone.com/~jason/20Newsgroups/",
        RESEARCH,
        uses={
            "lu2016": Use(15_935, 62_061, (Sample(15_935), UNIT), note="stands for news20"),
            "dada2021": Use(15_935, 62_061, (Sample(15_935),), note="stands for news20"),
            "dada2021-basehock": Use(
                1_993,
                11_148,
                (ClassPair("rec.sport.hockey", "rec.sport.baseball", "hockey (+1) against baseball (-1)"),),
            ),
            "dada2021-pcmac": Use(
                1_945,
                9_877,
                (ClassPair("comp.sys.mac", "comp.sys.ibm", "Mac (+1) against PC (-1) hardware"),),
            ),
        },
    ),
    "news20": multiclass(
        "Messages of 20 newsgroups, words counted by LIBSVM",
        15_935,
        62_061,
        20,
        "news20.bz2",
        uses={"lu2016": Use(15_935, 62_061, (UNIT,)), "dada2021": AS_IS},
    ),
    "news20_test": multiclass("The test part of news20", 3_993, 62_061, 20, "news20.t.bz2", uses={}),
    "rcv1": Entry(
        "Reuters newswire in order of time, several of 101 topics each",
        806_791,
        None,
        None,
        "https://trec.nist.gov/data/reuters/reuters.html",
        "for research, by agreement with NIST",
        uses={
            "cesabianchi2006": Use(
                40_000, note="the first 40,000 stories, one task for each of the 50 most frequent topics"
            )
        },
        holds="stories with several topics each",
    ),
    "rcv1_binary": binary(
        "Reuters newswire: CCAT and ECAT (+1) against GCAT and MCAT",
        20_242,
        47_236,
        "rcv1_train.binary.bz2",
        uses={},
    ),
    "rcv1_multiclass": multiclass(
        "Reuters newswire, one topic each",
        15_564,
        47_236,
        53,
        "rcv1_train.multiclass.bz2",
        uses={
            "lu2016": Use(15_564, 47_236, (UNIT,)),
            "yan2017": Use(15_498, 47_236, (UNIT,), note="the paper keeps 38 classes and does not say which"),
        },
    ),
    "basehock": Entry(
        "Two newsgroups: baseball and hockey",
        1_993,
        4_862,
        2,
        "https://jundongl.github.io/scikit-feature/datasets.html",
        "GPL-2 (scikit-feature)",
        uses={"dada2021": Use(1_993, 11_148)},
    ),
    "pcmac": Entry(
        "Two newsgroups: PC and Mac hardware",
        1_943,
        3_289,
        2,
        "https://jundongl.github.io/scikit-feature/datasets.html",
        "GPL-2 (scikit-feature)",
        uses={"dada2021": Use(1_945, 9_877)},
    ),
    "farm_ads": Entry(
        "Advertisements on farm pages, approved (+1) or not",
        4_143,
        54_877,
        2,
        f"{UCI}/dataset/218/farm+ads",
        CC_BY,
        uses={"dada2021": Use(4_143, 54_877)},
    ),
    "spam_corpus": Entry(
        "SpamAssassin mail in order of time",
        9_324,
        39_916,
        2,
        "http://mlkd.csd.auth.gr/concept_drift.html",
        NOT_STATED,
        uses={"dada2021": Use(9_324, 39_916, (Presence(),))},
    ),
    "webkb_course": Entry(
        "University pages that are a course's (+1) or not, text of the page",
        1_051,
        3_000,
        2,
        "https://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-51/www/co-training/data/",
        RESEARCH,
        uses={"nguyen2011": Use(1_051)},
        view=2,
    ),
}

MULTICLASS = {
    "wiki_xmodal": Entry(
        "Articles of Wikipedia: words of the image; the topics of the text are its second view",
        2_866,
        128,
        10,
        "http://www.svcl.ucsd.edu/projects/crossmodal/",
        RESEARCH,
        view=1,
    ),
    "mfeat": Entry(
        "Handwritten digits in six views: here Fourier coefficients",
        2_000,
        76,
        10,
        "https://archive.ics.uci.edu/dataset/72/multiple+features",
        CC_BY,
        view=1,
    ),
    "letter": uci(
        "Printed letters",
        20_000,
        16,
        26,
        "letter-recognition/letter-recognition.data",
        Table(label=0),
        {
            "dada2021": Use(
                steps=(Standardised(), Sample(15_000)),
                note="the paper names LIBSVM's files, which have 15,000 rows for training, scaled to -1 … 1",
            ),
            "yan2017-a": Use(
                steps=(OneAgainstRest(0, "the letter A (+1) against the rest (-1)"), UnitFeatures()),
                note=NOT_IN_THESIS,
            ),
        },
    ),
    "mnist": multiclass(
        "Handwritten digits",
        60_000,
        784,
        10,
        "mnist.bz2",
        uses={"dada2021": Use(steps=(Divided(255.0),)), "nguyen2011": Use(steps=(RandomClass(),))},
    ),
    "satimage": multiclass(
        "Satellite images", 6_435, 36, 6, "satimage.scale", "satimage.scale.t", uses={"lu2016": Use(steps=SCALED)}
    ),
    "segment": multiclass("Outdoor images", 2_310, 19, 7, "segment.scale", uses={"lu2016": Use(steps=SCALED)}),
    "usps": multiclass(
        "Handwritten digits of postcodes",
        9_298,
        256,
        10,
        "usps.bz2",
        "usps.t.bz2",
        uses={"nguyen2011": Use(steps=(RandomClass(),))},
    ),
    "connect4": multiclass(
        "Positions of connect-4",
        67_557,
        126,
        3,
        "connect-4",
        uses={"dada2021": AS_IS, "yan2017": Use(10_000, 126, (Sample(10_000), UNIT))},
    ),
    "acoustic": multiclass(
        "Vehicles heard by sensors", 78_823, 50, 3, "vehicle/acoustic.bz2", uses={"dada2021": AS_IS}
    ),
    # The copy of UCI's file whose checksum scikit-learn publishes in sklearn/datasets/_covtype.py.
    "covtype": Entry(
        "Forest cover of land",
        581_012,
        54,
        7,
        f"{UCI}/dataset/31/covertype",
        CC_BY,
        (
            File(
                "https://ndownloader.figshare.com/files/5976039",
                Table(),
                sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
                saved_as="covtype.data.gz",
            ),
        ),
        uses={
            "dada2021": Use(steps=(Standardised(),)),
            "yan2017": Use(
                features=54,
                steps=(ClassPair(4, 0, "class 5 (+1) against class 1 (-1)"), UnitFeatures()),
                note="the paper's 211,840 is the count of class 1 alone; with class 5 there are 221,333 rows",
            ),
        },
        samples=("covtype_10k", "covtype_20k"),
    ),
    "aloi": multiclass(
        "Small objects, colours of pictures",
        108_000,
        128,
        1_000,
        "aloi.bz2",
        uses={"yan2017": Use(108_000, 128, (OneAgainstRest(0, "the first class (+1) against the rest (-1)"),))},
    ),
    "protein": multiclass(
        "Structure of proteins",
        17_766,
        357,
        3,
        "protein.bz2",
        uses={"yan2017": Use(24_387, 357, (UNIT,), joined=("protein_test",))},
        samples=("protein_2871",),
    ),
    "protein_test": multiclass("The test part of protein", 6_621, 357, 3, "protein.t.bz2", uses={}),
    "dna": multiclass(
        "Splice junctions of DNA",
        3_186,
        180,
        3,
        "dna.scale",
        "dna.scale.t",
        uses={"yan2017": Use(3_186, 180, (UNIT,))},
    ),
    "cnae9": uci(
        "Descriptions of Brazilian companies, word counts",
        1_080,
        856,
        9,
        "00233/CNAE-9.data",
        Table(label=0),
        {"yan2017": Use(1_080, 856, (UNIT,))},
    ),
}

RATINGS = {
    f"ml{size.lower()}": Entry(
        f"MovieLens {size}: {ratings:,} ratings of films",
        ratings,
        None,
        None,
        f"https://grouplens.org/datasets/movielens/{size.lower()}/",
        "GroupLens: for research, not to be passed on",
        uses=uses,
        holds="ratings of items by users",
    )
    for size, ratings, uses in (
        ("100k", 100_000, {}),
        ("1M", 1_000_209, {"yan2017": Use(1_000_209)}),
        ("10M", 10_000_054, {"yan2017": Use(10_000_054)}),
    )
}

REGISTER: Mapping[str, Entry] = BINARY | TEXT | MULTICLASS | RATINGS
