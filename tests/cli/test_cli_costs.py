"""`askance run --costs`: which costs OMCSL settled on, beside those that all labels show to be best."""

import numpy as np
import pytest

import streams
from askance.learners.omcsl import OMCSL
from askance.rules.query import AtRate, Margin
from command_line import answer, complaint, mails, output

ROWS = 2500  # more than a chunk
ALGORITHM = ("-a", "OMCSL-F-h", "--param", "gamma=50", "--metric", "f", "--seed", 4, "--dtype", "float64")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


@pytest.fixture(scope="module")
def arrays():
    made = streams.noisy(ROWS, 6)
    return made.X, np.where(made.y > 0, "spam", "ham")


def test_the_figures_are_those_of_the_library(data, arrays):
    said = answer("run", data, "--costs", *ALGORITHM)
    learner = OMCSL(gamma=50.0, random_state=4, dtype="float64")
    trace = learner.run(*arrays)
    costs = said["costs"]
    assert costs["measures"] == costs["with_all_labels"] == learner.measures_.tolist()
    assert costs["chances"] == learner.chances_.tolist()
    assert costs["settled"] == learner.recent_costs()[0]
    assert costs["best"] == learner.cost_[0]
    assert costs["error"] == abs(costs["settled"] - costs["best"])
    assert said["methods"][0]["metrics"]["f"] == trace.summary().f


def test_with_few_labels_the_best_costs_are_those_of_one_that_asks_for_all(data, arrays):
    said = answer("run", data, "--costs", *ALGORITHM, "--rate", 0.2)
    few = OMCSL(gamma=50.0, random_state=4, dtype="float64", query=AtRate(Margin(), 0.2))
    few.run(*arrays)
    full = OMCSL(gamma=50.0, random_state=4, dtype="float64").fit(*arrays)
    assert [method["name"] for method in said["methods"]] == ["OMCSL-F-h", "full"]
    assert said["costs"]["measures"] == few.measures_.tolist()
    assert said["costs"]["with_all_labels"] == full.measures_.tolist()
    assert said["costs"]["best"] == full.cost_[0]


def test_the_last_labels_decide_what_was_settled_on(arrays):
    learner, best = OMCSL(K=3, gamma=50.0, dtype="float64"), []
    for _ in range(3):
        for first in range(0, ROWS, 10):
            learner.run(arrays[0][first : first + 10], arrays[1][first : first + 10], classes=("ham", "spam"))
            best.append(learner.cost_[0])
            assert learner.recent_costs(1)[0] == best[-1]
    assert len(set(best)) > 1  # or any mean would do
    alone = OMCSL(K=3, gamma=50.0, dtype="float64", classes=("ham", "spam"))
    costs = [alone.tell(x, y).cost_[0] for _ in range(3) for x, y in zip(*arrays, strict=True)]
    for labels in (1, 7, 2600, 5000):
        assert (
            alone.recent_costs(labels)[0]
            == learner.recent_costs(labels)[0]
            == pytest.approx(np.mean(costs[-labels:]))
        )
    assert alone.recent_costs() == alone.recent_costs(5000) == alone.recent_costs(10**6)


def test_for_people(data):
    told = " ".join(output("run", data, "--costs", *ALGORITHM).split())
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


def test_words_and_whole_numbers_as_parameters(data):
    answer("run", data, "-a", "OCS1-h", "--param", "rho=running", "--dtype", "float64")
    answer("run", data, "-a", "OPAUC", "--param", "covariance=3", "--dtype", "float64")
    four = answer("run", data, "-a", "OMCSL-F-h", "--param", "K=4", "--costs", "--dtype", "float64")
    assert len(four["costs"]["measures"]) == 4
    assert "K must be a whole number" in complaint("run", data, "-a", "OMCSL-F-h", "--param", "K=4.5")
