"""`python -m bench.league.steps`: F of OMCSL by its step size, with a tenth of the labels, for rare positives."""

from rich.console import Console

from bench.league.methods import automatic, many_costs
from bench.league.outcome import Outcome
from bench.league.tables import Sheet
from bench.league.tasks import folder, load, task

SETS = ("w8a", "sms_spam", "letter:rarest", "usps:rarest", "satimage:rarest", "reuters_r8:rarest")
STEPS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def main() -> None:
    """Print a line per set, with AutoLearner last."""
    rows = []
    for name in SETS:
        one = task(name, *load(folder(), name), order=0)
        budget = len(one.y) // 10
        found = [many_costs(one, budget, 0, eta) for eta in STEPS]
        rows.append((name, *map(shown, [*found, automatic(one, budget, 0)])))
    header = ("data", *(f"η = {eta:g}" for eta in STEPS), "AutoLearner")
    Console(width=140).print(Sheet("F with a tenth of the labels, stream / held out", header, rows).shown())


def shown(found: Outcome) -> str:
    """F over the stream and on held-out rows."""
    return f"{found.f_stream:.2f} / {found.f_held_out:.2f}"


if __name__ == "__main__":
    main()
