"""The league: who gets the best result from the same number of labels."""
