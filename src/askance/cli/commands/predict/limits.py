"""How much of a prediction the table shows."""

MOST_COLUMNS = 10  # classes or labels with a probability each; of more, only the predicted ones have
