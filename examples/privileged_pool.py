"""Choose which rows of a pool to label when the people who label see more than the classifier will.

The classifier gets 4 × 4 thumbnails of handwritten digits. While labelling, the whole 8 × 8 picture is there
too: these 64 pixels are the privileged features. AL-LUPI uses both to choose rows that are uncertain and unlike
each other. This is one split of a small pool: differences of a few percent are chance.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from askance.pool import MarginSampling, PoolLoop, PrivilegedSelector, RandomSampling, SVMPlus

DIGITS = (3, 5, 8, 9)  # those that look alike
SHADES = " .:-=+*#%@"


def show(pictures: np.ndarray) -> None:
    """Draw pictures of 8 × 8 pixels side by side."""
    for line in range(8):
        print("   ".join("".join(SHADES[int(9 * ink)] * 2 for ink in picture[line]) for picture in pictures))


def main() -> None:
    """Ask for 60 labels, ten at a time, by three strategies, and test a classifier of thumbnails."""
    pixels, y = load_digits(return_X_y=True)
    kept = np.flatnonzero(np.isin(y, DIGITS))
    kept = np.random.default_rng(0).permutation(kept)
    pixels, y = pixels[kept] / 16, y[kept]
    thumbnails = pixels.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    pool, test = slice(0, 400), slice(400, None)

    strategies = {
        "AL-LUPI": PrivilegedSelector(SVMPlus(C=1.0)),
        "margin": MarginSampling(),
        "random": RandomSampling(random_state=0),
    }
    first = {row: y[row] for row in range(10)}
    results = {}
    for name, strategy in strategies.items():
        loop = PoolLoop(strategy, thumbnails[pool], first, privileged=pixels[pool], batch=10, queries=60)
        results[name] = []
        for question in loop:
            if name == "AL-LUPI" and not results[name]:
                print("AL-LUPI asks first about:\n")
                show(pixels[question.rows[:5]].reshape(-1, 8, 8))
            loop.tell(question.rows, y[question.rows])  # the answers of a person
            rows, labels = loop.labelled()
            model = LinearSVC(C=1.0).fit(thumbnails[rows], labels)
            results[name].append(model.score(thumbnails[test], y[test]))

    print("\nlabels   " + "".join(f"{10 + 10 * batch:6}" for batch in range(1, 7)))
    for name, scores in results.items():
        print(f"{name:<9}" + "".join(f"{score:6.0%}" for score in scores))


if __name__ == "__main__":
    main()
