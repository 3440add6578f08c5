"""Entry point of the bundle: the command line, as in `python -m snakestudio`."""

import sys

from snakestudio.cli import main

sys.exit(main())
