"""A learner for rows with several labels each."""
