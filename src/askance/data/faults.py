"""What is wrong with a source of data, said in one sentence."""


class DataFault(ValueError):
    """A source that cannot be read; the message is one sentence that names the file, the line and the remedy."""
