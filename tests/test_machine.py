"""What is late is forgiven where the host took the processors; what is wrong is not, anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tests import machine
from tests.link.rig import wait
from tests.machine import in_time, real_time


def _missed() -> None:
    in_time(2.0, 1.0)


def _in_vain() -> None:
    wait(lambda: False, "it comes", 0.0)


def _wrong() -> None:
    raise AssertionError("wrong")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that takes everything."""
    counted = itertools.count(0.0, 1e6)
    monkeypatch.setattr(machine, "stolen", lambda: next(counted))


@pytest.mark.usefixtures("taken")
@pytest.mark.parametrize("late", [_missed, _in_vain])
def test_what_is_late_is_skipped_where_the_host_took_the_processors(late: Callable[[], None]) -> None:
    with pytest.raises(pytest.skip.Exception, match="so times say nothing"):
        real_time(late)()


@pytest.mark.usefixtures("taken")
def test_what_is_wrong_fails_all_the_same() -> None:
    with pytest.raises(AssertionError, match="wrong"):
        real_time(_wrong)()


def test_what_is_late_fails_on_a_machine_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "stolen", lambda: 0.0)
    with pytest.raises(AssertionError, match="2 is not below 1"):
        real_time(_missed)()
    in_time(1.0, 2.0)
