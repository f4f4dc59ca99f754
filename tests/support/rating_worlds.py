"""Synthetic ratings of low rank."""

from typing import Any

import numpy as np


def world(users: int, items: int, count: int, *, rank: int = 2, noise: float = 0.3, random_state: int = 0) -> Any:
    """Users, items and ratings from 1 to 5, of different pairs; every user and every item has at least one."""
    random = np.random.default_rng(random_state)
    left, right = random.normal(size=(users, rank)), random.normal(size=(items, rank))
    first = np.arange(users) * items + np.arange(users) % items
    others = random.permutation(np.setdiff1d(np.arange(users * items), first))[: count - users]
    who, what = np.divmod(np.concatenate([first, others]), items)
    scores = np.sum(left[who] * right[what], axis=1) + 0.5 * right[what, 0] + noise * random.normal(size=count)
    order = random.permutation(count)
    return who[order], what[order], 1.0 + np.digitize(scores, [-1.6, -0.6, 0.4, 1.4])[order]
