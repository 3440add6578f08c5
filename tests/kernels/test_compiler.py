"""Compilation of executables: the same results as numba's default, one file per function, nothing compiled twice."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.elsewhere import answer_of

PROGRAM = """
import json, sys
import numpy as np
{before}
from snakestudio.kernels import _cache, _jit
from numba.core import event
import numba

compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].__name__)
    def on_end(self, event): pass

with event.install_listener("numba:compile", Listener()):
    from snakestudio.kernels.trig import sin_cos
    angle = np.linspace(-9.0, 9.0, 19)
    cos, sin = np.empty(19), np.empty(19)
    sin_cos(angle, cos, sin)
print(json.dumps({{
    "values": [cos.tolist(), sin.tolist()], "compiled": compiled, "kind": type(sin_cos).__name__,
    "files": sorted(p.name for p in _cache.compile_cache().iterdir()), "trouble": _cache.cache_trouble(),
}}))
"""


def answer(folder: Path, before: str = "", **environment: str) -> dict[str, object]:
    result: dict[str, object] = answer_of(
        PROGRAM.format(before=before), SNAKESTUDIO_KERNELS_DIR=str(folder), **environment
    )
    return result


class Saved(NamedTuple):
    """Folder of saved code, and the answer of the program that compiled it."""

    folder: Path
    first: dict[str, object]


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    folder = tmp_path_factory.mktemp("compiled")
    return Saved(folder, answer(folder))


@pytest.fixture
def saved(compiled_once: Saved, tmp_path: Path) -> Saved:
    """Copy of the saved code that the test may change."""
    folder = tmp_path / "saved"
    shutil.copytree(compiled_once.folder, folder)
    return Saved(folder, compiled_once.first)


def test_cached_code_gives_identical_results(saved: Saved) -> None:
    first = saved.first
    again = answer(saved.folder)
    assert "sin_cos" in first["compiled"]
    assert again["compiled"] == []
    assert again["values"] == first["values"]
    assert [name.rpartition("-")[0] for name in first["files"]] == ["kernels.trig.sin_cos"]


def test_bits_are_those_of_numba_by_default(compiled_once: Saved, tmp_path: Path) -> None:
    full = compiled_once.first
    own = answer(tmp_path / "own", before='import numba; numba.__version__ = "0.99"')
    assert (full["kind"], own["kind"]) == ("KernelDispatcher", "CPUDispatcher")
    assert own["values"] == full["values"]
    # Its files are also found again.
    assert (
        answer(tmp_path / "own", before='import numba; numba.__version__ = "0.99"')["compiled"]
        == []
    )


def test_damaged_file_is_recompiled(saved: Saved) -> None:
    first = saved.first
    file = next(saved.folder.rglob("*.kernel"))
    full = file.read_bytes()
    for damaged in (full[:-100], full[:50] + b"?" + full[51:], b""):
        file.write_bytes(damaged)
        again = answer(saved.folder)
        assert "sin_cos" in again["compiled"], len(damaged)
        assert again["values"] == first["values"]
        written = file.read_bytes()
        assert hashlib.sha256(written[32:]).digest() == written[:32], "it is whole again"
    assert answer(saved.folder)["compiled"] == []


def test_kernels_run_without_a_writable_cache(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.write_text("")
    result = answer(folder, TMPDIR=str(tmp_path))
    assert "sin_cos" in result["compiled"]
    assert str(folder) in str(result["trouble"])


def test_full_disk_is_reported_and_kernels_run(tmp_path: Path) -> None:
    before = """
import snakestudio.kernels._compiler as compiler
def full(*_):
    raise OSError(28, "No space left on device")
compiler._write = full
"""
    result = answer(tmp_path, before)
    assert "No space left" in str(result["trouble"])
    assert result["files"] == []


def test_other_users_of_numba_are_not_affected(tmp_path: Path) -> None:
    result = answer_of(
        """
import json
from snakestudio.kernels.trig import sin_cos
import numba, numpy as np
@numba.njit
def total(x):
    s = 0.0
    for v in x:
        s += max(v, 0.5)
    return s
print(json.dumps([total(np.arange(4.0)), numba.config.CPU_NAME, numba.config.CACHE_DIR]))
""",
        SNAKESTUDIO_KERNELS_DIR=str(tmp_path),
    )
    assert result == [6.5, None, ""]
