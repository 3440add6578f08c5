"""Delayed actions: once for all requests, and after the last start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.delay import Delay

pytestmark = pytest.mark.gui


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def delay(qtbot: QtBot, calls: list[str]) -> Iterator[Delay]:
    """A delay of an hour, whose end is emitted by the tests."""
    owner = QObject()
    delay = Delay(3_600_000, lambda: calls.append("called"), owner)
    yield delay
    delay.stop()


def test_action_is_called_once_for_all_requests(delay: Delay, calls: list[str]) -> None:
    delay.request()
    first = delay.timerId()
    delay.request()
    assert delay.timerId() == first, "not restarted"
    assert calls == []
    delay.timeout.emit()
    assert calls == ["called"]


def test_start_restarts_the_delay(delay: Delay, calls: list[str]) -> None:
    delay.start()
    first = delay.timerId()
    delay.start()
    assert delay.timerId() != first
    delay.stop()
    assert (delay.isActive(), calls) == (False, [])


def test_action_ends_the_delay(qtbot: QtBot, calls: list[str]) -> None:
    owner = QObject()
    delay = Delay(0, lambda: calls.append("called"), owner)
    delay.request()
    qtbot.waitUntil(lambda: calls == ["called"])
    assert not delay.isActive()
