"""The parts of a round that every pass shares: looking at a row, deciding about it, and learning its label."""

from typing import Any

from askance.jit.interop import inlined, like
from askance.jit.select import maximum
from askance.rules.rows import Seen

# They take parts of a core, because a whole one would have its references counted in every row.


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
    """What is seen of row `t`, and whether it is sound."""
    score, spread, squared_norm, prediction, sound = form.look(state, rows, t, width, at_zero)
    mistakes, max_squared_norm = past.mistakes[0], past.max_squared_norm[0]
    return Seen(
        score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible
    ), sound


@inlined
def decide(form: Any, query: Any, state: Any, memory: Any, seen: Any, coin: float, at_zero: float) -> Any:
    """What is seen by the one who decides, how likely a question was, and whether it is asked."""
    seen, coin = form.sample(state, seen, coin, at_zero)
    probability = query.ask(memory, seen, coin)
    return seen, probability, coin < probability


@inlined
def record_round(outcome: Any, t: int, seen: Any, probability: float, asked: bool, updated: bool) -> None:
    """Write down what became of round `t`."""
    outcome.predictions[t] = seen.prediction
    outcome.scores[t] = seen.score
    outcome.ask_probabilities[t] = probability
    outcome.asked[t] = asked
    outcome.updated[t] = updated


@inlined
def take_step(form: Any, state: Any, past: Any, rows: Any, t: int, seen: Any, label: float, step: Any) -> None:
    """Take the step, and note whether the label has shown a mistake: every rule learns from those."""
    form.learn(state, rows, t, like(step, seen.score))
    wrong = seen.prediction != label
    past.mistakes[0] += wrong
    past.max_squared_norm[0] = maximum(past.max_squared_norm[0], wrong * seen.squared_norm)
