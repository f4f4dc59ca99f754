"""A worker that asks a language model what it thinks the labels of waiting items are."""
