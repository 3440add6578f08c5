"""A preparation that goes as a test says, for everything that waits for one."""

from __future__ import annotations

from typing import ClassVar

from snakestudio.session.engine_compiler import Preparation, Stage

__all__ = ["Preparing"]


class Preparing(Preparation):
    """Compiles nothing; `stage` says how far it is. All that were begun since the list was made are in `begun`."""

    begun: ClassVar[list[Preparing]] = []

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.stage = Stage(0.0, 20.0)
        self.stopped = False
        Preparing.begun.append(self)

    def poll(self) -> Stage:
        return self.stage

    def stop(self) -> None:
        self.stopped = True
