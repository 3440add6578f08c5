from __future__ import annotations

import sys
from pathlib import Path

import pytest

from snakestudio.errors import PluginRuntimeError
from snakestudio.gui.shell.crash import CrashGuard
from snakestudio.plugins.loading import load
from tests.plugins.plugin_files import WAG, written


def test_fault_of_a_plugin_is_not_an_internal_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    plugin = load(written(tmp_path, text=f"{WAG}\ndef fail():\n    return 1 / 0\n"))
    defects: list[str] = []
    faults: list[PluginRuntimeError] = []
    guard = CrashGuard(defects.append, report_fault=faults.append)
    try:
        for call in (plugin.module.fail, lambda: 1 / 0):
            try:
                call()
            except ZeroDivisionError as error:
                sys.excepthook(type(error), error, error.__traceback__)
    finally:
        guard.close()
    assert [fault.plugin for fault in faults] == ["wag"]
    assert len(defects) == 1
