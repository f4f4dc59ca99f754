"""The parts of a round that all passes share: score a row, decide whether to ask, and learn the label."""

from typing import Any

from askance.jit.bounded import bounded
from askance.jit.interop import inlined, like
from askance.jit.select import maximum
from askance.rules.rows import Seen

# They take parts of a core, because references to a whole core would be counted in every row.


@inlined
def look(
    form: Any,
    state: Any,
    past: Any,
    rows: Any,
    t: int,
    width: int,
    n_labels: int,
    n_positives: int,
    eligible: float,
    at_zero: float,
) -> Any:
    """Return what is known about row `t`, and whether it is sound."""
    score, spread, squared_norm, prediction, sound = form.look(state, rows, t, width, at_zero)
    mistakes, max_squared_norm = past.mistakes[0], past.max_squared_norm[0]
    return Seen(
        score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible
    ), sound


@inlined
def decide(form: Any, query: Any, state: Any, memory: Any, seen: Any, coin: float, at_zero: float) -> Any:
    """Return what is seen after sampling, the probability of asking, and whether to ask."""
    seen, coin = form.sample(state, seen, coin, at_zero)
    probability = bounded(query, query.ask(memory, seen, coin))
    return seen, probability, coin < probability


@inlined
def record_round(outcome: Any, t: int, seen: Any, probability: float, asked: bool, updated: bool) -> None:
    """Record the outcome of round `t`."""
    outcome.predictions[t] = seen.prediction
    outcome.scores[t] = seen.score
    outcome.ask_probabilities[t] = probability
    outcome.asked[t] = asked
    outcome.updated[t] = updated


@inlined
def take_step(form: Any, state: Any, past: Any, rows: Any, t: int, seen: Any, label: float, step: Any) -> None:
    """Take the step, and count the mistake if the label reveals one. Every rule fires on mistakes."""
    form.learn(state, rows, t, like(step, seen.score))
    wrong = seen.prediction != label
    past.mistakes[0] += wrong
    past.max_squared_norm[0] = maximum(past.max_squared_norm[0], wrong * seen.squared_norm)
