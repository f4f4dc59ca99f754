"""What is wrong or odd with a source of data, said in one sentence."""


class DataFault(ValueError):
    """A source that cannot be read; the message is one sentence that names the file, the line and the remedy."""


class DataNotice(UserWarning):
    """Data that can be used but are not what they are called; the message says the difference."""
