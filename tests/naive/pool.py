"""AL-LUPI as the thesis writes it, on lists: the ratio by Dinkelbach's rounds, and a whole choice from a pool."""

import itertools
import math

Vector = list[float]
Rows = list[Vector]


def solve(matrix: Rows, right: Vector) -> Vector:
    """Gauss's elimination, with the largest pivot of each column."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        best = max(range(column, size), key=lambda i: abs(rows[i][column]))
        rows[column], rows[best] = rows[best], rows[column]
        for i in range(size):
            if i != column:
                factor = rows[i][column] / rows[column][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def product(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def quadratic(A: Rows, r: Vector) -> float:
    return product(r, [product(row, r) for row in A])


def inner(A: Rows, p: Vector, value: float) -> Vector:
    """arg min λrᵀAr − rᵀp on the simplex: every face is tried, by its own linear system (4.7)."""
    size = len(p)
    best, least = None, math.inf
    for count in range(1, size + 1):
        for face in itertools.combinations(range(size), count):
            system = [[2 * value * A[i][j] for j in face] + [1.0] for i in face] + [[1.0] * count + [0.0]]
            weights = solve(system, [p[i] for i in face] + [1.0])[:-1]
            if min(weights) < 0:
                continue
            r = [0.0] * size
            for i, weight in zip(face, weights, strict=True):
                r[i] = weight
            found = value * quadratic(A, r) - product(r, p)
            if found < least:
                best, least = r, found
    assert best is not None
    return best


def ratio(A: Rows, p: Vector, rounds: int = 60) -> tuple[Vector, float]:
    """Algorithm 6 with the exact inner solution, from the vertex with the largest p."""
    r = [1.0 if i == max(range(len(p)), key=p.__getitem__) else 0.0 for i in range(len(p))]
    value = product(r, p) / quadratic(A, r)
    for _ in range(rounds):
        r = inner(A, p, value)
        before, value = value, product(r, p) / quadratic(A, r)
        if value <= before * (1 + 1e-15):
            break
    return r, value


def kernel(X: Rows, gamma: float) -> Rows:
    return [[math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))) for z in X] for x in X]


def gamma_of(X: Rows) -> float:
    """One over the sum of the features' variances."""
    total = 0.0
    for column in zip(*X, strict=True):
        mean = sum(column) / len(column)
        total += sum((value - mean) ** 2 for value in column) / len(column)
    return 1 / total


def uncertainty(scores: Vector, correcting: Vector | None, combine: str, aggregate: str, epsilon: float) -> float:
    """Of one row, (4.3) and the five rules after it; no correcting values leave the prediction's."""
    first, second = sorted(scores, reverse=True)[:2]
    prediction = 1 / (first - second + epsilon)
    if correcting is None:
        return prediction
    if aggregate == "top":
        corrected = correcting[scores.index(first)]
    else:
        corrected = max(correcting) if aggregate == "max" else sum(correcting) / len(correcting)
    return {
        "sum": prediction + corrected,
        "max": max(prediction, corrected),
        "min": min(prediction, corrected),
        "product": prediction * corrected,
        "distance": abs(prediction - corrected),
        "prediction": prediction,
        "correcting": corrected,
    }[combine]


def choose(X: Rows, p: Vector, n: int, times: int | None) -> tuple[list[int], Vector]:
    """The n rows of largest weight, of the n × times most uncertain, and the weights of all rows.

    Rows without weight follow by uncertainty × (1 − similarity with the likest one before), copies of rows last.
    """
    size = len(p)
    if max(p) <= 1e-9:
        least = min(p)
        p = [each - least for each in p]
    if max(p) <= 1e-9:
        p = [1.0] * size
    by_uncertainty = sorted(range(size), key=lambda i: -p[i])
    candidates: list[int] = []
    for i in by_uncertainty:
        if all(X[i] != X[j] for j in candidates):
            candidates.append(i)
    candidates = sorted(candidates if times is None else candidates[: n * times])
    copies = [i for i in by_uncertainty if i not in candidates]
    chances = [p[i] for i in candidates]
    similar = kernel(X, gamma_of(X))
    weights, _ = ratio([[similar[i][j] for j in candidates] for i in candidates], chances)
    heavy = [i for i in range(len(candidates)) if weights[i] > 1e-9]
    chosen = [candidates[i] for i in sorted(heavy, key=lambda i: -weights[i])]
    above = {i: chance - min(*chances, 0.0) for i, chance in zip(candidates, chances, strict=True)}
    while len(chosen) < min(n, len(candidates)):
        left = [i for i in candidates if i not in chosen]
        chosen.append(max(left, key=lambda i: above[i] * (1 - max(similar[i][j] for j in chosen))))
    r = [0.0] * size
    for i, weight in zip(candidates, weights, strict=True):
        r[i] = weight
    return (chosen + copies)[:n], r
