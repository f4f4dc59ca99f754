"""A learner without settings: several models learn from the same labels, and those that predict best decide."""
