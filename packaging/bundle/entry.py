"""What the bundle's program runs: the command line, as `python -m snakestudio` does."""

import sys

from snakestudio.cli import main

sys.exit(main())
