"""The processor that code is compiled for: the same for the kernels and for the libraries that they use."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

from snakestudio import processor
from snakestudio.cli import main
from snakestudio.export.provenance import software_versions
from tests.elsewhere import answer_of

PROGRAM = """
import json{first}
import snakestudio
import numpy
from snakestudio import processor
from snakestudio.export.provenance import software_versions
print(json.dumps([
    processor.computed_for(), processor.target().tuned,
    numpy._core._multiarray_umath.__cpu_features__.get("X86_V4", False),
]))
"""
WIDE = "avx512f" in processor.identify()[1]
baseline = pytest.mark.skipif(
    not processor.has_baseline(), reason="the baseline needs another processor"
)


@pytest.fixture(autouse=True)
def _as_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "SNAKESTUDIO_PROCESSOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path))


@baseline
def test_numpy_is_limited_to_the_baseline() -> None:
    assert answer_of(PROGRAM.format(first="")) == ["x86-64-v3", False, False]


@pytest.mark.parametrize(("chosen", "expected"), [("", "1"), ("2", "2")])
def test_commands_compute_in_one_thread(chosen: str, expected: str) -> None:
    program = """
import contextlib, io, json, os, sys
from snakestudio.cli import main
if not os.environ["OPENBLAS_NUM_THREADS"]:
    del os.environ["OPENBLAS_NUM_THREADS"]
sys.argv = ["snakestudio", "scenes"]
with contextlib.redirect_stdout(io.StringIO()):
    main()
print(json.dumps(os.environ["OPENBLAS_NUM_THREADS"]))
"""
    assert answer_of(program, OPENBLAS_NUM_THREADS=chosen) == expected


def test_native_code_can_be_requested() -> None:
    messages, tuned, wide = answer_of(PROGRAM.format(first=""), SNAKESTUDIO_PROCESSOR="native")
    assert messages.startswith("tuned for ")
    assert tuned
    assert wide == WIDE


@pytest.mark.skipif(not WIDE, reason="numpy has only one code path on this processor")
def test_numpy_imported_earlier_is_reported() -> None:
    messages, _, wide = answer_of(PROGRAM.format(first=", numpy"))
    assert wide
    assert messages.startswith("x86-64-v3, numpy for ")


@baseline
def test_child_processes_of_native_one_are_native() -> None:
    child = "import snakestudio; from snakestudio import processor; print(processor.computed_for())"
    program = f"""
import json, subprocess, sys
import snakestudio
print(json.dumps(subprocess.run([sys.executable, "-c", {child!r}], text=True, capture_output=True, check=True).stdout))
"""
    assert answer_of(program) == "x86-64-v3\n"
    assert answer_of(program, SNAKESTUDIO_PROCESSOR="native").startswith("tuned for ")


@baseline
def test_choice_of_an_earlier_version_is_ignored(tmp_path: Path) -> None:
    (tmp_path / f"tuned-for-{processor.processor_hash()}").touch()
    assert not processor.target().tuned


def test_unknown_processor_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "natve")
    assert main(["scenes"]) == 2
    message = 'SNAKESTUDIO_PROCESSOR must be "baseline" or "native" (got "natve"). Correct it, or unset it.'
    assert message in capsys.readouterr().err
    with pytest.warns(UserWarning, match="natve"):
        importlib.reload(importlib.import_module("snakestudio.api"))


def test_processor_below_baseline_gets_its_own_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processor, "identify", lambda: ("Core 2", frozenset({"sse4_1"})))
    monkeypatch.setattr(processor, "has_baseline", processor.has_baseline.__wrapped__)
    assert processor.target() == processor.Target("Core 2", tuned=True)
    processor.hold_libraries()
    assert "OPENBLAS_CORETYPE" not in os.environ


@baseline
def test_headers_name_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "numpy_is_held", lambda: True)
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")
    assert software_versions().endswith(", computed for x86-64-v3")
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "native")
    assert software_versions().endswith(f", tuned for {processor.processor_name()}")
