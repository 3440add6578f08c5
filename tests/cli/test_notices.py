"""Warnings and log messages on the terminal, and imports that fail in a damaged installation."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.cli.notices import notices_for_users
from snakestudio.errors import SnakeStudioWarning
from snakestudio.plugins.loading import load, unload


@pytest.fixture(autouse=True)
def _visible_warnings() -> Iterator[None]:
    """Warnings as users get them; in tests they are errors otherwise."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield


def test_own_warning_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with notices_for_users():
        warnings.warn("Row 1 cannot be repeated.", SnakeStudioWarning, stacklevel=1)
    assert capsys.readouterr().err == "snakestudio: Row 1 cannot be repeated.\n"


def test_warning_of_a_library_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with notices_for_users():
        warnings.warn("Creating scratch directories is slow", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_warning_of_a_plugin_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loud.py"
    file.write_text(
        "import numpy as np\n"
        "from snakestudio.plugin import ReductionKind\n\n\n"
        "def inverse(times, values):\n"
        "    return float(np.float64(1.0) / values[-1])\n\n\n"
        'KIND = ReductionKind(name="inverse", of=inverse)\n'
    )
    plugin = load(file)
    try:
        with notices_for_users():
            plugin.module.inverse(np.zeros(2), np.zeros(2))
    finally:
        unload("loud")
    assert (
        capsys.readouterr().err
        == "snakestudio: loud: divide by zero encountered in scalar divide\n"
    )


def test_only_own_log_messages_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("snakestudio", "distributed"):  # without the handlers of pytest
        monkeypatch.setattr(logging.getLogger(name), "propagate", False)
    with notices_for_users():
        logging.getLogger("snakestudio").warning("The index was rebuilt.")
        logging.getLogger("snakestudio").info("Read 3 chunks.")
        logging.getLogger("distributed").warning("Event loop was unresponsive for 3.2 s")
    assert capsys.readouterr().err == "snakestudio: The index was rebuilt.\n"


def test_missing_module_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def execute(_: object) -> int:
        raise ModuleNotFoundError("No module named '_ssl'", name="_ssl")

    monkeypatch.setattr("snakestudio.cli.study_status.execute", execute)
    assert main(["study", "status", "speed.study.toml"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("snakestudio: ")
    assert "_ssl" in err
    assert err.count("\n") == 1
