"""Work in threads: result, priority, and messages about its exceptions."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from snakestudio.errors import UserError
from snakestudio.viewmodel.work import in_thread, problem_of


def test_work_runs_in_another_thread() -> None:
    assert in_thread("test", threading.get_ident).result() != threading.get_ident()


def test_exception_is_kept_for_the_caller() -> None:
    def work() -> None:
        raise ZeroDivisionError("no rows")

    with pytest.raises(ZeroDivisionError, match="no rows"):
        in_thread("test", work).result()


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux do threads inherit a priority")
@pytest.mark.parametrize(("inherited", "own"), [(-10, 0), (5, 5)])
def test_thread_does_not_keep_a_raised_priority(
    monkeypatch: pytest.MonkeyPatch, inherited: int, own: int
) -> None:
    priorities: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda which, who: inherited)
    monkeypatch.setattr(os, "setpriority", lambda which, who, priority: priorities.append(priority))
    assert in_thread("test", lambda: list(priorities)).result() == [own]


def test_problem_of_a_mistake_is_its_message() -> None:
    text = "run.csv cannot be written. Choose another folder."
    assert problem_of("export", UserError(text)).sentence() == text


def test_problem_of_an_internal_error_names_the_work() -> None:
    assert problem_of("export", ValueError("x")).sentence() == "The export failed: ValueError('x')."
