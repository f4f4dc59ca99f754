"""Find a rare class: one row in fifty is positive, and its cost is not known.

Accuracy says little here: calling every row negative is right 98 times in 100. OMCSL learns with nine costs
side by side and follows the one with the best F. With a query rule it also asks for few labels.
"""

import numpy as np
from sklearn.datasets import make_classification

import askance
from askance import queries

SHARE = 0.05  # of the labels


def stream() -> tuple[np.ndarray, np.ndarray]:
    """Make 20,000 rows of length 1, with a constant column so that the threshold is learned too."""
    X, y = make_classification(
        20_000,
        n_informative=6,
        n_redundant=0,
        n_clusters_per_class=1,
        weights=[0.98],
        flip_y=0.005,
        class_sep=1.5,
        random_state=0,
    )
    X = np.column_stack([X, np.ones(len(X))])
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def main() -> None:
    """Compare plain gradient descent with OMCSL, with all labels and with a few."""
    X, y = stream()
    few = queries.AtRate(queries.Margin(), rate=SHARE)
    learners = {
        "one cost, all labels": askance.make("OGD-h", eta=10.0),
        "OMCSL, all labels": askance.OMCSL("F", eta=10.0),
        "OMCSL, asking in doubt": askance.OMCSL("F", eta=10.0, query=few),
        "OMCSL, asking at random": askance.OMCSL("F", eta=10.0, query=queries.Random(SHARE)),
    }
    print(f"{len(y):,} rows, {y.sum()} of them positive\n")
    print(f"{'':24}{'labels':>7}{'precision':>11}{'recall':>8}{'F':>7}")
    for name, learner in learners.items():
        summary = learner.run(X, y).summary()
        figures = f"{summary.precision:11.2f}{summary.recall:8.2f}{summary.f:7.2f}"
        print(f"{name:<24}{summary.asked:7,}{figures}  {'█' * round(40 * summary.f)}")

    found = learners["OMCSL, asking in doubt"]
    missed, false_alarm = found.cost_
    print("\nF of the nine classifiers, by the cost of a missed positive:")
    for F, theta in zip(found.measures_, np.arange(1, 10) / 10, strict=True):
        print(f"  {1 - theta / 2:.2f}  {F:.2f}  {'█' * round(40 * F)}")
    print(f"OMCSL follows the best: a missed positive costs {missed:.2f}, a false alarm {false_alarm:.2f}.")


if __name__ == "__main__":
    main()
