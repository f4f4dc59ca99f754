"""`askance run --costs`: which costs OMCSL settled on, beside those that all labels show to be best."""

import numpy as np
import pytest

import streams
from askance.learners.omcsl import OMCSL
from askance.rules.query import AtRate, Margin
from command_line import answer, complaint, mails, output

ROWS = 2500  # more than a chunk
FEW = 500
ALGORITHM = ("-a", "OMCSL-F-h", "--param", "gamma=50", "--metric", "f", "--seed", 4, "--dtype", "float64")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


@pytest.fixture(scope="module")
def few_data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "few.csv", FEW)


def arrays(rows, **options):
    made = streams.noisy(rows, 6, **options)
    return made.X, np.where(made.y > 0, "spam", "ham")


@pytest.mark.slow
def test_the_figures_are_those_of_the_library(data):
    said = answer("run", data, "--costs", *ALGORITHM)
    learner = OMCSL(gamma=50.0, random_state=4, dtype="float64")
    trace = learner.run(*arrays(ROWS))
    costs = said["costs"]
    assert costs["measures"] == costs["with_all_labels"] == learner.measures_.tolist()
    assert costs["chances"] == learner.chances_.tolist()
    assert costs["settled"] == learner.recent_costs()[0]
    assert costs["best"] == learner.cost_[0]
    assert costs["error"] == abs(costs["settled"] - costs["best"])
    assert said["methods"][0]["metrics"]["f"] == trace.summary().f


@pytest.mark.slow
def test_with_few_labels_the_best_costs_are_those_of_one_that_asks_for_all(few_data):
    said = answer("run", few_data, "--costs", *ALGORITHM, "--rate", 0.2)
    few = OMCSL(gamma=50.0, random_state=4, dtype="float64", query=AtRate(Margin(), 0.2))
    few.run(*arrays(FEW))
    full = OMCSL(gamma=50.0, random_state=4, dtype="float64").fit(*arrays(FEW))
    assert [method["name"] for method in said["methods"]] == ["OMCSL-F-h", "full"]
    assert said["costs"]["measures"] == few.measures_.tolist()
    assert said["costs"]["with_all_labels"] == full.measures_.tolist()
    assert said["costs"]["best"] == full.cost_[0]


@pytest.mark.slow
def test_the_last_labels_decide_what_was_settled_on():
    check_what_was_settled_on(arrays(400, random_state=2), (1, 7, 500))


@pytest.mark.soak
def test_the_last_five_thousand_labels_decide_what_was_settled_on():
    alone = check_what_was_settled_on(arrays(ROWS), (1, 7, 2600, 5000))
    assert alone.recent_costs() == alone.recent_costs(5000) == alone.recent_costs(10**6)


def check_what_was_settled_on(rows, counts):
    """The costs after some labels are the mean of those after each; three times through the rows."""
    X, labels = rows
    learner, best = OMCSL(K=3, gamma=50.0, dtype="float64"), []
    for _ in range(3):
        for first in range(0, len(labels), 10):
            learner.run(X[first : first + 10], labels[first : first + 10], classes=("ham", "spam"))
            best.append(learner.cost_[0])
            assert learner.recent_costs(1)[0] == best[-1]
    assert len(set(best)) > 1  # or any mean would do
    alone = OMCSL(K=3, gamma=50.0, dtype="float64", classes=("ham", "spam"))
    costs = [alone.tell(x, y).cost_[0] for _ in range(3) for x, y in zip(X, labels, strict=True)]
    for count in counts:
        assert (
            alone.recent_costs(count)[0]
            == learner.recent_costs(count)[0]
            == pytest.approx(np.mean(costs[-count:]))
        )
    return alone


def test_for_people(few_data):
    told = " ".join(output("run", few_data, "--costs", *ALGORITHM).split())
    assert "Recently, a missed positive cost 0." in told
    assert "give the best F" in told
    assert told.count(" 0.950 0.050 ") == told.count(" 0.550 0.450 ") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--costs is for OMCSL algorithms: choose one, for example -a OMCSL-F-h"),
        (("-a", "PAA-II"), "--costs is for OMCSL algorithms"),
        (("--resume", "model"), "--costs compares with a run on all labels: remove --resume"),
    ],
)
def test_elsewhere_it_has_no_meaning(data, words, said):
    assert said in complaint("run", data, "--costs", *words)


def test_words_and_whole_numbers_as_parameters(few_data):
    answer("run", few_data, "-a", "OCS1-h", "--param", "rho=running", "--dtype", "float64")
    answer("run", few_data, "-a", "OPAUC", "--param", "covariance=3", "--dtype", "float64")
    four = answer("run", few_data, "-a", "OMCSL-F-h", "--param", "K=4", "--costs", "--dtype", "float64")
    assert len(four["costs"]["measures"]) == 4
    assert "K must be a whole number" in complaint("run", few_data, "-a", "OMCSL-F-h", "--param", "K=4.5")
