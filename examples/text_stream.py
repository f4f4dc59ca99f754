"""Label a stream of text, and answer a question only when the learner is in doubt.

The sentences come from SciPy's own documentation, which is installed with scikit-learn. Is a sentence about
signals or about statistics? In place of a person, the module that a sentence was taken from answers.
"""

import inspect
import random
import re
import textwrap
from types import ModuleType

from scipy import signal, stats

import askance

EVERY = 400  # sentences per line of the report


def sentences(module: ModuleType) -> set[str]:
    """Collect the sentences in the docstrings of a module's public names."""
    texts = [inspect.getdoc(getattr(module, name)) or "" for name in module.__all__]
    parts = [" ".join(part.split()) for text in texts for part in re.split(r"\n\s*\n|(?<=\.)\s+(?=[A-Z])", text)]
    return {part for part in parts if re.fullmatch(r"[A-Z](?!.*(---| : )).{38,198}\.", part)}


def main() -> None:
    """Run the labelling loop over all sentences and report on it as it goes."""
    signals, statistics = sentences(signal), sentences(stats)
    stream = [(text, "signals") for text in sorted(signals - statistics)]
    stream += [(text, "statistics") for text in sorted(statistics - signals)]
    random.Random(7).shuffle(stream)

    learner = askance.make("PAA-II", delta=0.1, random_state=7, classes=["signals", "statistics"])
    questions = right = 0  # since the last line of the report
    for row, (text, truth) in enumerate(stream, start=1):
        x = askance.data.hash_texts([text])
        decision = learner.ask(x)
        right += decision.prediction == truth
        if decision.ask:
            learner.tell(x, truth)  # a person would answer here, at once or days later
            questions += 1
            if learner.spending_.asked <= 5:
                print(f"{textwrap.shorten(text, 90)}\n  → {truth}")
        if row % EVERY == 0:
            bar = "▪" * (questions // 4)
            print(f"{row:5,} sentences  {right / EVERY:4.0%} right  {questions:4} questions  {bar}")
            questions = right = 0

    spending = learner.spending_
    print(f"\n{spending.asked} labels for {spending.rows:,} sentences: {spending.asked / spending.rows:.0%}.")
    for text in ("The filter removes noise above ten hertz.", "The test rejects the null hypothesis."):
        print(f"{learner.predict(askance.data.hash_texts([text]))[0]:>10}: {text}")


if __name__ == "__main__":
    main()
