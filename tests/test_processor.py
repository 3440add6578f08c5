"""The processor that is computed for: the same one for the kernels and for the libraries below them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from snakestudio import processor
from snakestudio.export.provenance import made_with
from tests.elsewhere import answer_of

PROGRAM = """
import json{first}
import snakestudio
import numpy
from snakestudio import processor
from snakestudio.export.provenance import made_with
print(json.dumps([
    processor.computed_for(), processor.target().tuned,
    numpy._core._multiarray_umath.__cpu_features__.get("X86_V4", False),
]))
"""
baseline = pytest.mark.skipif(not processor.has_baseline(), reason="this processor is older than the baseline")


@pytest.fixture(autouse=True)
def _as_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "SNAKESTUDIO_PROCESSOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path))


@baseline
def test_numpy_is_held_to_the_baseline() -> None:
    assert answer_of(PROGRAM.format(first="")) == ["x86-64-v3", False, False]


def test_the_processor_itself_can_be_asked_for() -> None:
    words, tuned, wide = answer_of(PROGRAM.format(first=""), SNAKESTUDIO_PROCESSOR="native")
    assert words.startswith("tuned for ")
    assert tuned
    assert wide == processor.has_wider_vectors()


@pytest.mark.skipif(not processor.has_wider_vectors(), reason="numpy does nothing else on this processor")
def test_a_numpy_that_was_there_before_is_told() -> None:
    words, _, wide = answer_of(PROGRAM.format(first=", numpy"))
    assert wide
    assert words.startswith("x86-64-v3, numpy for ")


@baseline
def test_the_choice_holds_for_this_processor_until_it_is_taken_back(tmp_path: Path) -> None:
    assert not processor.target().tuned
    processor.tune(True)
    assert processor.target().tuned
    os.environ["SNAKESTUDIO_PROCESSOR"] = "baseline"  # goes before; the fixture takes it away again
    assert not processor.target().tuned
    del os.environ["SNAKESTUDIO_PROCESSOR"]
    for mark in tmp_path.iterdir():  # made on another machine that shares the folder
        mark.rename(tmp_path / "tuned-for-00000000")
    assert not processor.target().tuned
    processor.tune(False)


@baseline
def test_what_is_chosen_meanwhile_changes_nothing_in_a_process_and_those_it_starts() -> None:
    program = """
import json, subprocess, sys
import snakestudio
from snakestudio import processor
from snakestudio.export.provenance import made_with
processor.tune(True)
child = "import snakestudio; from snakestudio import processor; print(processor.computed_for())"
def asked(**more):
    return subprocess.run([sys.executable, "-c", child], text=True, capture_output=True, check=True, **more).stdout
print(json.dumps([
    processor.target().tuned, processor.given(), asked(), asked(env=processor.environment_for(True)),
    asked(env=processor.environment_for(False)),
]))
"""
    tuned, given, child, native, held = answer_of(program)
    assert not tuned
    assert given == ""
    assert child == held == "x86-64-v3\n"
    assert native.startswith("tuned for ")
    assert answer_of(PROGRAM.format(first=""))[1], "it holds from the next start on"
    assert processor.chosen()


def test_that_somebody_was_told_is_kept() -> None:
    assert not processor.was_told()
    processor.note_told()
    assert processor.was_told()
    assert not processor.chosen()


def test_a_processor_without_the_baseline_gets_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "_processor", lambda: ("Core 2", frozenset({"sse4_1"})))
    monkeypatch.setattr(processor, "has_baseline", processor.has_baseline.__wrapped__)
    assert processor.target() == processor.Target("Core 2", tuned=True)
    processor.hold_libraries()
    assert "OPENBLAS_CORETYPE" not in os.environ


@baseline
def test_headers_say_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "_numpy_is_held", lambda: True)
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")
    assert made_with().endswith(", computed for x86-64-v3")
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "native")
    assert made_with().endswith(f", tuned for {processor.processor_name()}")
