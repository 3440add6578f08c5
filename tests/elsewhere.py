"""Programs in a separate process, for effects of environment variables that are read once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["answer_of"]

ROOT = Path(__file__).resolve().parent.parent


def answer_of(program: str, **environment: str) -> Any:
    """Return what a Python program prints as JSON; warnings are errors there, too.

    Parameters
    ----------
    program : str
    **environment
        Variables in addition to those of this process.
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
