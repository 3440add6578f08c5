"""Measuring what code for this very processor gains: by turns, without taking any time; and what is made of it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from snakestudio import processor
from snakestudio.errors import PreparationError, UsageError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.session import tuning
from snakestudio.session.engine_compiler import Stage as PreparationStage
from snakestudio.session.tuning import Case, Stage, Timing, TimingProcess, cells, description, measure, verdict

CASES = (Case("posts", "planar_nonsmooth", 1.0), Case("sand", "spatial_nonsmooth", 1.0))
needs_baseline = pytest.mark.skipif(not processor.has_baseline(), reason="this processor is older than the baseline")


class Machine:
    """A machine whose engines take as long as `times` says, by scene: for the baseline, and tuned, s."""

    def __init__(self, times: dict[str, tuple[float, float]], missing: Iterable[tuple[str, bool]] = ()) -> None:
        self.times, self.missing = times, set(missing)
        self.now = 0.0
        self.asked: list[tuple[bool, str]] = []
        self.open = 0
        self.compiled: list[tuple[str, bool]] = []
        self.error = ""
        self.stages: list[Stage] = []
        self.stop_at = 1e9

    def tell(self, stage: Stage) -> bool:
        self.stages.append(stage)
        return self.now < self.stop_at

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def measure(self, pairs: int = 5) -> tuple[Timing, ...] | None:
        return measure(
            self.tell, cases=CASES, pairs=pairs, begin=lambda tuned: FakeTimer(self, tuned),
            prepare=lambda kind, tuned: FakePreparation(self, kind, tuned), clock=lambda: self.now, wait=self.wait,
        )  # fmt: skip


class FakeTimer:
    def __init__(self, machine: Machine, tuned: bool) -> None:
        self.machine, self.tuned = machine, tuned
        machine.open += 1

    def missing(self, kinds: Iterable[str], look: Callable[[], None]) -> tuple[str, ...]:
        look()
        return tuple(kind for kind in kinds if (kind, self.tuned) in self.machine.missing)

    def step_time(self, case: Case, look: Callable[[], None]) -> float:
        assert not self.machine.missing, "it is compiled first"
        self.machine.asked.append((self.tuned, case.scene))
        self.machine.now += 1.0
        look()
        return self.machine.times[case.scene][self.tuned]

    def close(self) -> None:
        self.machine.open -= 1


class FakePreparation:
    """Takes three looks."""

    def __init__(self, machine: Machine, kind: str, tuned: bool) -> None:
        self.machine, self.what, self.looks = machine, (kind, tuned), 0
        machine.open += 1

    def look(self) -> PreparationStage:
        self.looks += 1
        if self.machine.error:
            return PreparationStage(0.5, None, True, self.machine.error)
        if self.looks < 3:
            return PreparationStage(self.looks / 3, 10.0)
        self.machine.missing.discard(self.what)
        self.machine.compiled.append(self.what)
        return PreparationStage(1.0, None, True)

    def stop(self) -> None:
        self.machine.open -= 1


def test_both_are_timed_by_turns_and_the_middle_pair_counts() -> None:
    machine = Machine({"posts": (1.2e-6, 1.0e-6), "sand": (2.0e-5, 2.0e-5)})
    timings = machine.measure()
    assert timings is not None
    assert [timing.gain for timing in timings] == pytest.approx([0.2, 0.0])
    assert [timing.worth_it for timing in timings] == [True, False]
    assert all(len(timing.pairs) == 5 for timing in timings)
    runs = 2 * (1 + tuning.REPEATS)
    assert machine.asked[:runs] == [(False, "posts"), (True, "posts")] * (runs // 2)
    assert machine.asked[runs : 2 * runs] == [(False, "sand"), (True, "sand")] * (runs // 2)
    assert machine.asked[2 * runs : 3 * runs] == [(True, "posts"), (False, "posts")] * (runs // 2), "the other first"
    assert machine.open == 0
    fractions = [stage.fraction for stage in machine.stages]
    assert fractions == sorted(fractions)
    assert machine.stages[-1].fraction == 1.0
    assert [len(stage.timings[0].pairs) for stage in machine.stages][-1] == 5, "results are told as they come"


def test_what_is_missing_is_compiled_before_anything_is_timed() -> None:
    machine = Machine({"posts": (1.0, 1.0), "sand": (1.0, 1.0)}, [("planar_nonsmooth", True)])
    assert machine.measure(pairs=1) is not None
    assert machine.compiled == [("planar_nonsmooth", True)]
    said = list(dict.fromkeys(stage.doing for stage in machine.stages))
    assert said == [
        "Looking for what is compiled", "Preparing the planar engine for this processor", "Timing the planar engine",
        "Timing the spatial engine",
    ]  # fmt: skip
    assert machine.open == 0


def test_the_first_run_of_a_process_does_not_count_and_then_the_least_does() -> None:
    machine = Machine({"posts": (1.0, 1.0), "sand": (1.0, 1.0)})
    runs: dict[tuple[bool, str], list[float]] = {}

    class Loading(FakeTimer):
        def step_time(self, case: Case, look: Callable[[], None]) -> float:
            super().step_time(case, look)
            times = runs.setdefault((self.tuned, case.scene), [0.5, 3.0, 2.0 if self.tuned else 2.5, 4.0, 5.0])
            return times.pop(0)

    timings = measure(
        machine.tell, cases=CASES, pairs=1, begin=lambda tuned: Loading(machine, tuned), clock=lambda: machine.now
    )
    assert timings is not None
    assert [timing.pairs for timing in timings] == [((2.5, 2.0),)] * 2


def test_it_can_be_stopped() -> None:
    machine = Machine({"posts": (1.0, 1.0), "sand": (1.0, 1.0)})
    machine.stop_at = 3.0
    assert machine.measure() is None
    assert machine.now == 3.0
    assert machine.open == 0


def test_what_cannot_be_compiled_is_said() -> None:
    machine = Machine({}, [("spatial_nonsmooth", False)])
    machine.error = "The disk is full."
    with pytest.raises(PreparationError, match="disk is full"):
        machine.measure()
    assert machine.open == 0


def test_one_lucky_pair_is_no_gain() -> None:
    case = CASES[0]
    accidents = Timing(case, ((1.0, 0.9), (1.0, 0.9), (1.0, 0.9), (0.9, 1.0), (0.9, 1.0)))
    assert accidents.gain > 0.1
    assert not accidents.worth_it
    assert Timing(case, ((1.0, 0.9),) * 4 + ((0.9, 1.0),)).worth_it
    assert not Timing(case, ((1.02, 1.0),) * 5).worth_it


def test_what_is_found_is_told() -> None:
    fast = Timing(CASES[1], ((2.34e-5, 2.0e-5),) * 5)
    same = Timing(CASES[0], ((2.5e-6, 2.5e-6),) * 5)
    assert cells(fast) == ("spatial", "sand", "23.4 µs", "20.0 µs", "+17.0 %")
    assert cells(same) == ("planar", "posts", "2.50 µs", "2.50 µs", "+0.0 %")
    assert cells(Timing(CASES[0])) == ("planar", "posts", "", "", "")
    faster = Timing(Case("stones", "spatial_nonsmooth", 1.0), ((2.5e-5, 2.0e-5),) * 5)
    planar = Timing(CASES[0], ((1.1e-6, 1.0e-6),) * 5)
    assert verdict([planar, same, faster, fast]).endswith(": spatial 25 % (in stones), planar 10 % (in posts).")
    assert verdict([same]).startswith("No engine is more than 3 % faster")


# --- the process that times -----------------------------------------------------------------------------------------


def look() -> None:
    """Goes on."""


def test_a_process_answers_what_it_is_asked() -> None:
    program = (
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    print('a stray line', flush=True)\n"
        "    said = 'missing: b' if word == 'missing' else 'time: 0.5'\n"
        "    print(said, os.environ['SNAKESTUDIO_PROCESSOR'], flush=True)\n"
    )
    timer = TimingProcess(True, command=[sys.executable, "-c", program])
    assert timer.missing(["a", "b"], look) == ("b", "native")
    assert timer.step_time(CASES[0], look) == 0.5
    timer.close()


def test_a_process_that_ends_says_why() -> None:
    timer = TimingProcess(False, command=[sys.executable, "-c", "print('snakestudio: no memory.')"])
    with pytest.raises(PreparationError, match=r"ended: no memory\. Measure again\."):
        timer.step_time(CASES[0], look)
    timer.close()


def test_the_program_times_its_scenes() -> None:
    answers: list[str] = []
    tuning.serve(io.StringIO("time obstacle_aided 0.05\n"), answers.append)
    (answer,) = answers
    assert answer.startswith("time: ")
    assert 0.0 < float(answer.split()[1]) < 0.1


def test_every_model_is_timed() -> None:
    from snakestudio.model.scene_file import load_scene
    from snakestudio.paths import scenes_dir

    assert {case.kind for case in tuning.CASES} == set(FORMULATIONS)
    for case in tuning.CASES:
        assert load_scene(scenes_dir() / f"{case.scene}.toml").model.kind == case.kind


# --- choosing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def _own_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path / "kernels"))
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")  # as this process found it
    monkeypatch.setattr(processor, "_given", "")
    monkeypatch.setattr(processor, "_processor", lambda: ("Fast One", frozenset({"avx512f"})))


@needs_baseline
@pytest.mark.usefixtures("_own_choice")
def test_how_things_stand_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert description() == [
        "SnakeStudio computes for x86-64-v3: results have the same bits on every such processor.",
        "This processor (Fast One) has wider vectors (AVX-512), which code for x86-64-v3 leaves unused.",
    ]
    tuning.switch(True)
    assert any(text.startswith("From the next start on it computes for this very processor") for text in description())
    monkeypatch.setattr(processor, "_given", "baseline")
    assert "SNAKESTUDIO_PROCESSOR is set to baseline, which goes before what is chosen." in description()
    tuning.switch(False)
    assert not processor.chosen()


@needs_baseline
@pytest.mark.usefixtures("_own_choice")
def test_a_choice_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("a file stands in the way")
    with pytest.raises(PreparationError, match="SNAKESTUDIO_KERNELS_DIR"):
        tuning.switch(True)


def test_a_processor_without_the_baseline_has_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "has_baseline", lambda: False)
    with pytest.raises(UsageError, match="nothing to choose"):
        tuning.switch(True)
    assert description() == [tuning.why_not()]
    assert tuning.why_not_measure() == tuning.why_not()


def test_nothing_is_measured_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert "NUMBA_DISABLE_JIT" in tuning.why_not_measure()
