"""A preparation controlled by a test, for code that waits for one."""

from __future__ import annotations

from typing import ClassVar

from snakestudio.session.engine_compiler import Preparation, Stage

__all__ = ["Preparing"]


class Preparing(Preparation):
    """Preparation that compiles nothing; the test sets `stage`. `begun` lists all instances."""

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
