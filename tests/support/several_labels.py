"""Tasks whose items have several labels each, and texts whose words show which."""

import numpy as np

from askance.service.settings import Asking, Budget, Hashing, TaskSettings

WORDS = {
    "billing": ["invoice", "refund", "charge", "card"],
    "login": ["password", "locked", "code", "signin"],
    "urgent": ["now", "asap", "today", "down"],
}
OTHERS = ["hello", "please", "thanks", "team", "we", "the", "with", "our", "it", "is"]
CLASSES = list(WORDS)


def several(**more):
    """A task of tickets. Most of its questions are drawn at random, and half of these test the model."""
    made = {
        "name": "tickets",
        "classes": CLASSES,
        "hashing": Hashing(bits=8),
        "budget": Budget(burst=100_000),
        "questions": Asking("lease", audit=0.5, test=0.5),
        "multilabel": True,
        **more,
    }
    return TaskSettings(**made).named


def tickets(count, random_state=0, noise=0.0):
    """Texts and the sets of their labels; some carry none."""
    random = np.random.default_rng(random_state)
    for _ in range(count):
        carried = [name for name in CLASSES if random.random() < 0.4]
        words = [str(word) for name in carried for word in random.choice(WORDS[name], 2)]
        words += random.choice(OTHERS, 5).tolist()
        if random.random() < noise:
            words.append(str(random.choice(WORDS["urgent"])))
        yield " ".join(random.permutation(words).tolist()), carried


def label_by_words(text):
    """The labels that the words of a text show."""
    words = set(text.split())
    return [name for name in CLASSES if words & set(WORDS[name])]
