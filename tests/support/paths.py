"""Where things are in a checkout."""

import pathlib

SUPPORT = pathlib.Path(__file__).parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
