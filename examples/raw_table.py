"""Compare three ways to spend labels on a raw table: when in doubt, at random, and for every row.

The table is scikit-learn's handwritten digits: 1,797 rows with 64 columns of ink. Is the digit odd? A row is
predicted first; then its label may be asked for and learned from. The picture needs matplotlib: pip install
"askance[plots]".
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

import askance
from askance.plotting import draw

ORDERS = 20  # one order of the rows may be lucky
PICTURE = "raw_table.png"


def stream(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Shuffle the rows and scale the columns by the first 100 rows, whose labels are not needed for that."""
    X, digits = load_digits(return_X_y=True)
    rows = np.random.default_rng(order).permutation(len(X))
    X, y = X[rows], np.where(digits[rows] % 2, "odd", "even")
    X = StandardScaler().fit(X[:100]).transform(X)
    return np.column_stack([X, np.ones(len(X))]), y  # the constant lets the boundary move away from 0


def main() -> None:
    """Run the three learners over the same streams, then print their figures and draw one stream."""
    traces: dict[str, list[askance.Trace]] = {"in doubt": [], "at random": [], "every row": []}
    for order in range(ORDERS):
        X, y = stream(order)
        doubt = askance.make("PAA-II", C=0.01, delta=0.03, random_state=order).run(X, y)
        share = doubt.asked.mean()  # as many labels, chosen blindly
        traces["in doubt"].append(doubt)
        traces["at random"].append(askance.make("RPA-II", C=0.01, ratio=share, random_state=order).run(X, y))
        traces["every row"].append(askance.make("PA-II", C=0.01, random_state=order).run(X, y))

    print(f"{len(X):,} rows, mean of {ORDERS} orders\n\nlabels asked     accuracy")
    for name, runs in traces.items():
        labels = np.mean([run.asked.sum() for run in runs])
        accuracy = np.mean([run.summary().accuracy for run in runs])
        print(f"{name:<12}{labels:7,.0f} {accuracy:8.1%}  {'█' * round(200 * (accuracy - 0.7))}")
    draw({name: runs[0].curve("accuracy") for name, runs in traces.items()}, "accuracy", PICTURE)
    print(f"\nThe curves of the first order are in {PICTURE}.")


if __name__ == "__main__":
    main()
