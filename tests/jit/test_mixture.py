"""How far models are trusted, by what they lost so far."""

from typing import Any

import numpy as np
import pytest

from askance.jit.interop import compiled
from askance.jit.kernels.mixture import NOISE, equal_trust, settle

settled: Any = compiled(lambda mixture: settle(mixture), exact=True, cache=False)


def trust_after(*losses: float) -> np.ndarray:
    """The trust in models whose best temperatures lost this much."""
    mixture = equal_trust(len(losses))
    mixture.losses[:] = np.array(losses)[:, np.newaxis] + [3.0, 1.0, 0.0, 2.0, 4.0]
    settled(mixture)
    return mixture.trust


@pytest.mark.parametrize("losses", [(0.0, 0.0), (3.0, 1.0, 2.5), (280.0, 290.0, 284.0), (40.0, 43.0)])
def test_trust_is_that_of_the_formula(losses: tuple[float, ...]) -> None:
    least = min(losses)
    shares = np.exp(-(np.array(losses) - least) / (1 + least / NOISE))
    np.testing.assert_allclose(trust_after(*losses), shares / shares.sum(), rtol=1e-12)


def test_small_losses_are_a_bayesian_mixture_and_large_ones_are_shared() -> None:
    assert trust_after(0.0, 4.0)[1] == pytest.approx(np.exp(-4) / (1 + np.exp(-4)))
    assert trust_after(300.0, 304.0)[1] > 0.25


def test_a_model_that_is_hardly_trusted_is_not_asked() -> None:
    trust = trust_after(10.0, 30.0, 10.5)
    assert trust[1] == 0.0
    assert trust.sum() == pytest.approx(1.0)
