"""Maximum-margin factorisation from its formulas, with whole matrices; nothing of askance is used."""

import numpy as np


def loss(X, thresholds, entries, together):
    """½ Σ_ij Σ_z h(T^z(θ_z - X_ij))², or ½ Σ_ij (Σ_z h)²; entries are (i, j, Y_ij) with Y from 1."""
    total = 0.0
    for i, j, rating in entries:
        row = thresholds[i if len(thresholds) > 1 else 0]
        hinges = [
            max(0.0, 1 - (1 if z >= rating else -1) * (row[z - 1] - X[i, j])) for z in range(1, len(row) + 1)
        ]
        total += 0.5 * (sum(hinges) ** 2 if together else sum(h * h for h in hinges))
    return total


def slopes(X, thresholds, entries, together):
    """Ĝ (2.6) and g (2.8), with the literal loss's own where it is meant."""
    in_scores, in_thresholds = np.zeros_like(X), np.zeros_like(thresholds)
    for i, j, rating in entries:
        u = i if len(thresholds) > 1 else 0
        row = thresholds[u]
        sides = [1 if z >= rating else -1 for z in range(1, len(row) + 1)]
        hinges = [max(0.0, 1 - side * (cut - X[i, j])) for side, cut in zip(sides, row, strict=True)]
        for z, (side, hinge) in enumerate(zip(sides, hinges, strict=True)):
            part = side * (sum(hinges) * (hinge > 0) if together else hinge)
            in_scores[i, j] += part
            in_thresholds[u, z] -= part
    return in_scores, in_thresholds


def regularizer(X, rank, weight, barrier):
    """λ·½(‖X‖² + ν‖X†‖²) of a matrix of some rank."""
    values = np.linalg.svd(X, compute_uv=False)[:rank]
    return 0.5 * weight * float(np.sum(values**2) + barrier * np.sum(values**-2.0))


def euclidean_gradient(X, rank, thresholds, entries, together, weight, barrier):
    """G = Ĝ + λU diag(σ - ν/σ³)Vᵀ (2.7)."""
    left, values, right = np.linalg.svd(X, full_matrices=False)
    left, values, right = left[:, :rank], values[:rank], right[:rank]
    penalty = weight * (left * (values - barrier / values**3)) @ right
    return slopes(X, thresholds, entries, together)[0] + penalty


def projected(Z, left, right):
    """P_U Z + Z P_V - P_U Z P_V."""
    over, across = left @ left.T, right @ right.T
    return over @ Z + Z @ across - over @ Z @ across


def best_of_rank(X, rank):
    """The nearest matrix of that rank."""
    left, values, right = np.linalg.svd(X, full_matrices=False)
    return (left[:, :rank] * values[:rank]) @ right[:rank]


def predicted(score, thresholds):
    """1 + #{z: X_ij ≥ θ_z}."""
    return 1 + sum(score >= cut for cut in thresholds)


def row_value(factor, features, thresholds, levels, weight, together):
    """½λ‖a‖² + Σ loss(a·v), thresholds a row an entry, levels from 0."""
    total = 0.5 * weight * float(factor @ factor)
    for feature, row, level in zip(features, thresholds, levels, strict=True):
        score = float(feature @ factor)
        hinges = [max(0.0, 1 - (1 if z >= level else -1) * (cut - score)) for z, cut in enumerate(row)]
        total += 0.5 * (sum(hinges) ** 2 if together else sum(h * h for h in hinges))
    return total
