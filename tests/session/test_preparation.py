"""Compiling several engines one after the other: what is there already is left alone, and it can be stopped."""

from __future__ import annotations

import pytest

from snakestudio.engines import registry
from snakestudio.session import preparation
from snakestudio.session.preparation import prepare


class Compilation:
    """Stands in for a compilation that takes four looks; all that were begun are in `begun`."""

    begun: list[Compilation]

    def __init__(self, kind: str) -> None:
        self.kind, self.looks, self.stopped = kind, 0, False
        Compilation.begun.append(self)

    def poll(self) -> tuple[float, str, bool]:
        self.looks += 1
        return self.looks / 4, "", self.looks == 4

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    Compilation.begun = []
    monkeypatch.setattr(preparation, "Preparation", Compilation)
    monkeypatch.setattr(registry, "is_warm", lambda kind: kind == "planar_nonsmooth")


def test_only_what_is_not_compiled_is() -> None:
    told: list[tuple[str, float]] = []

    def progress(kind: str, fraction: float) -> bool:
        told.append((kind, fraction))
        return True

    assert prepare(["spatial_nonsmooth", "planar_nonsmooth", "planar_lagrangian"], progress)
    kinds = ["spatial_nonsmooth", "planar_lagrangian"]
    assert [one.kind for one in Compilation.begun] == kinds
    assert all(one.stopped for one in Compilation.begun)
    assert told == [(kind, look / 4) for kind in kinds for look in (1, 2, 3, 4)]


def test_stopping_stops_the_compilation_under_way_and_begins_no_other() -> None:
    assert not prepare(["spatial_nonsmooth", "planar_lagrangian"], lambda kind, fraction: fraction < 0.5)
    assert [(one.kind, one.looks, one.stopped) for one in Compilation.begun] == [("spatial_nonsmooth", 2, True)]
