"""`python -m snakestudio` is the command line."""

import sys

from snakestudio.cli import main

if __name__ == "__main__":
    sys.exit(main())
