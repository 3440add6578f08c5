"""A process that ends with the one that started it, however that went: its standard input tells."""

from __future__ import annotations

import os
import threading
from typing import NoReturn


def end_with_input() -> None:
    """End this process at once, with exit code 3, when whoever holds the other end of standard input is gone.

    Even if it was killed, and whatever this process does at the moment: a compiler, or a loop in
    compiled code, hears no exception.
    """
    threading.Thread(target=_watch, name="snakestudio-tether", daemon=True).start()


def _watch() -> None:
    while os.read(0, 4096):
        pass
    end_at_once(3)


def end_at_once(code: int) -> NoReturn:
    """End this process, whatever its other threads do."""
    os._exit(code)
