"""`python -m askance` is the same as `askance`."""

from askance.cli import main

if __name__ == "__main__":
    main()
