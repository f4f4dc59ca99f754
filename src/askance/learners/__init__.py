"""Learners: rules, what they have learned, and scikit-learn's methods around them."""
