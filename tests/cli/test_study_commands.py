"""Studies on the command line: arguments are understood or refused with a message, and no results are lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.study.store import Store, store_path
from snakestudio.study.study_file import load_study, save_study
from tests.study.conftest import study_file
from tests.study.made_up import made_up_study, write_store

__all__ = ["study_file"]

AMPLITUDE = "gait.amplitude_deg"
KIND = "model.kind"


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The message of a refused command."""
    assert main([str(argument) for argument in arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("typed", "key", "values"),
    [
        (AMPLITUDE, AMPLITUDE, {"low": 0.0, "high": 90.0, "steps": 11}),
        (f"{AMPLITUDE}=10:60", AMPLITUDE, {"low": 10.0, "high": 60.0, "steps": 11}),
        (f"{AMPLITUDE}=10:60:6", AMPLITUDE, {"low": 10.0, "high": 60.0, "steps": 6}),
        (
            f"{AMPLITUDE}=10:60:6:log",
            AMPLITUDE,
            {"low": 10.0, "high": 60.0, "steps": 6, "scale": "log"},
        ),
        (f"{AMPLITUDE}=20,30.5", AMPLITUDE, {"values": (20, 30.5)}),
        (
            f"{KIND}=planar_nonsmooth, planar_lagrangian",
            KIND,
            {"values": ("planar_nonsmooth", "planar_lagrangian")},
        ),
    ],
)
def test_study_is_started_from_arguments(
    typed: str, key: str, values: dict[str, object], study_file: Path
) -> None:
    new = study_file.with_name("new.toml")
    assert (
        main(["study", "new", str(study_file.with_name("snake.toml")), str(new), "--vary", typed])
        == 0
    )
    (vary,) = load_study(new).vary
    assert vary.model_dump(exclude_defaults=True) == {"key": key} | values


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        *(
            (f"--vary={AMPLITUDE}={text}", "LOW:HIGH:STEPS")
            for text in ("", "10", "10:", "1:x", "1:2:3.5", "1:2:3:4")
        ),
        (f"--vary={AMPLITUDE}=10:60:1", "vary[1].steps"),
        (f"--vary={AMPLITUDE}=20,wide", "number"),
        ("--maximise=net_sped", "Did you mean net_speed"),
        ("--maximise=last(com_x_mm)", "Did you mean com_x_m"),
    ],
)
def test_invalid_study_is_not_started(
    typed: str, text: str, study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = study_file.with_name("new.toml")
    assert text in refusal(capsys, "study", "new", study_file.with_name("snake.toml"), new, typed)
    assert not new.exists()


def test_scene_in_place_of_a_study_gives_one_message(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "scene" in refusal(capsys, "study", "run", study_file.with_name("snake.toml"))


@pytest.mark.parametrize("scene", ["", "scene = 3\n"])
def test_study_without_scene_is_checked_as_a_study(
    scene: str, study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study_file.write_text(study_file.read_text().replace('scene = "snake.toml"\n', scene))
    assert ": scene " in refusal(capsys, "check", study_file)


def test_missing_scene_is_a_problem_of_the_study(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study_file.with_name("snake.toml").unlink()
    sentence = refusal(capsys, "study", "run", study_file)
    assert f"{study_file}: scene: " in sentence
    assert "no such file" in sentence


@pytest.mark.parametrize("command", [("status",), ("export", "--csv=-")])
def test_missing_study_has_no_results(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = tmp_path / "none.toml"
    assert f"{none}: there is no such file" in refusal(
        capsys, "study", command[0], none, *command[1:]
    )


def test_study_without_runs_names_no_point(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(store_path(study_file), writing=True) as store:
        store.begin({"study": study_file.read_text()})
    assert main(["study", "status", str(study_file)]) == 0
    assert "failed" not in capsys.readouterr().out


def test_results_are_never_overwritten(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = store_path(study_file)
    write_store(results, made_up_study())
    before = results.read_bytes()
    for force in ((), ("--force",)):
        assert "is an input of this command" in refusal(
            capsys, "study", "export", study_file, "--csv", results, *force
        )
    assert "results" in refusal(capsys, "run", study_file.with_name("snake.toml"), "--csv", results)
    assert results.read_bytes() == before


def test_json_status_equals_shown_status(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = made_up_study(("amplitude",), goals=1, limit=False, search='kind = "grid"', steps=12)
    save_study(study, study_file)
    write_store(store_path(study_file), study)
    assert main(["study", "status", str(study_file), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["runs"], status["finished"], status["failed"], status["points"]) == (
        12,
        12,
        0,
        12,
    )
    speeds = [point["values"]["net_speed"] for point in status["best"]]
    assert len(speeds) == 10
    assert speeds == sorted(speeds, reverse=True)
    assert main(["study", "status", str(study_file)]) == 0
    assert f"{speeds[0]:.5g}" in capsys.readouterr().out


def test_help_of_studies_lists_only_their_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["study", "--help"])
    assert ended.value.code == 0
    output = capsys.readouterr().out
    assert "study resume" in output
    assert "compare" not in output


def test_worker_needs_a_thread(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--threads 0: give" in refusal(
        capsys, "study", "worker", "--scheduler", "tcp://127.0.0.1:9", "--threads", "0"
    )
