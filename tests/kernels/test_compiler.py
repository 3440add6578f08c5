"""Compilation as a whole: the same results as numba's own way, one file a function, nothing compiled twice."""

from __future__ import annotations

import hashlib
from pathlib import Path

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
    found: dict[str, object] = answer_of(
        PROGRAM.format(before=before), SNAKESTUDIO_KERNELS_DIR=str(folder), **environment
    )
    return found


def test_what_was_compiled_is_found_again_and_gives_the_same(tmp_path: Path) -> None:
    first = answer(tmp_path)
    again = answer(tmp_path)
    assert "sin_cos" in first["compiled"]
    assert again["compiled"] == []
    assert again["values"] == first["values"]
    assert [name.rpartition("-")[0] for name in first["files"]] == ["kernels.trig.sin_cos"]


def test_the_bits_are_those_of_numbas_own_way(tmp_path: Path) -> None:
    whole = answer(tmp_path / "whole")
    own = answer(tmp_path / "own", before='import numba; numba.__version__ = "0.99"')
    assert (whole["kind"], own["kind"]) == ("KernelDispatcher", "CPUDispatcher")
    assert own["values"] == whole["values"]
    # Its files are found again, too.
    assert (
        answer(tmp_path / "own", before='import numba; numba.__version__ = "0.99"')["compiled"]
        == []
    )


def test_a_damaged_file_is_compiled_anew(tmp_path: Path) -> None:
    first = answer(tmp_path)
    file = next(tmp_path.rglob("*.kernel"))
    whole = file.read_bytes()
    for damaged in (whole[:-100], whole[:50] + b"?" + whole[51:], b""):
        file.write_bytes(damaged)
        again = answer(tmp_path)
        assert "sin_cos" in again["compiled"], len(damaged)
        assert again["values"] == first["values"]
        written = file.read_bytes()
        assert hashlib.sha256(written[32:]).digest() == written[:32], "it is whole again"
    assert answer(tmp_path)["compiled"] == []


def test_where_nothing_can_be_kept_it_still_computes(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.write_text("")
    found = answer(folder, TMPDIR=str(tmp_path))
    assert "sin_cos" in found["compiled"]
    assert str(folder) in str(found["trouble"])


def test_a_full_disk_is_told_and_does_not_stop_anything(tmp_path: Path) -> None:
    before = """
import snakestudio.kernels._compiler as compiler
def full(*_):
    raise OSError(28, "No space left on device")
compiler._write = full
"""
    found = answer(tmp_path, before)
    assert "No space left" in str(found["trouble"])
    assert found["files"] == []


def test_others_who_use_numba_in_the_same_process_find_it_as_ever(tmp_path: Path) -> None:
    found = answer_of(
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
    assert found == [6.5, None, ""]
