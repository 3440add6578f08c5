"""The command line as users type it: output, files, exit codes, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.paths import scenes_dir

MAIN = str(scenes_dir() / "obstacle_aided.toml")
SCENES = sorted(str(path) for path in scenes_dir().glob("*.toml"))


def snakestudio(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")
    } | environment
    return subprocess.run(
        [sys.executable, "-m", "snakestudio", *arguments], capture_output=True, text=True, env=env
    )


def test_run_writes_csv_and_video_without_any_display(tmp_path: Path) -> None:
    csv = tmp_path / "new" / "run.csv"
    video = tmp_path / "run.mp4"
    done = snakestudio(
        "run",
        MAIN,
        "--duration",
        "0.2",
        "--rate",
        "50",
        "--csv",
        str(csv),
        "--video",
        str(video),
        "--size",
        "160x90",
        "--fps",
        "10",
        "--set",
        "gait.amplitude_deg=30",
        "--set",
        "title=Short",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = csv.read_text(encoding="utf-8").splitlines()
    assert '#| title = "Short"' in lines
    assert "#| amplitude_deg = 30.0" in lines
    assert len([line for line in lines if not line.startswith("#")]) == 1 + 11
    assert video.stat().st_size > 1000
    assert "0 unconverged" in done.stdout


def test_run_prints_the_warnings_of_check(capsys: pytest.CaptureFixture[str]) -> None:
    """The planar model has no rolling friction: users must know this before they publish results."""
    assert main(["run", MAIN, "--duration", "0.01", "--set", "ground.mu_rolling=0.1"]) == 0
    errors = capsys.readouterr().err
    assert "obstacle_aided.toml: warning: ground.mu_rolling: 0.1" in errors
    assert errors.count("\n") == 1


def test_run_records_a_file_that_can_be_rerun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, again, recorded = (
        tmp_path / name for name in ("first.csv", "again.csv", "new/run.mcap")
    )
    assert (
        main(["run", MAIN, "--duration", "0.1", "--csv", str(first), "--mcap", str(recorded)]) == 0
    )
    assert f"wrote {recorded}: 11 rows" in capsys.readouterr().out
    assert main(["run", str(recorded), "--csv", str(again)]) == 0
    rows = [
        [line for line in path.read_text().splitlines() if line[0] != "#"]
        for path in (first, again)
    ]
    assert rows[0] == rows[1]
    assert main(["run", str(recorded), "--mcap", str(recorded)]) == 2
    assert "is the scene itself" in capsys.readouterr().err
    assert main(["run", MAIN, "--mcap", str(tmp_path)]) == 2
    assert "folder" in capsys.readouterr().err


def test_seed_draws_the_random_parts_of_a_run(tmp_path: Path) -> None:
    csv = tmp_path / "run.csv"
    arguments = ["run", "jam_resolution", "--duration", "0.01", "--csv", str(csv), "--force"]
    for extra, expected in (
        (["--seed", "6"], ss.simulate("jam_resolution", 0.01, seed=6).scene),
        (["--seed", "6", "--set", "controller.noise_seed=5"], {"controller.noise_seed": 5}),
        ([], {}),
    ):
        assert main([*arguments, *extra]) == 0
        if isinstance(expected, dict):
            expected = ss.load_scene("jam_resolution").with_values(expected)
        seeds = [each.controller.noise_seed for each in (ss.load_scene(csv), expected)]
        assert seeds[0] == seeds[1]


def test_start_run_of_a_scene_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tmp_path / "first.csv"
    assert main(["run", MAIN, "--duration", "0.02", "--csv", str(first)]) == 0
    start = f'start={{kind = "recording", file = "{first}", time_s = 0.01}}'
    before = first.read_bytes()
    for arguments in (
        ["run", MAIN, "--duration", "0.02"],
        ["compare", "models", MAIN, "--duration", "0.02"],
    ):
        assert main([*arguments, "--set", start, "--csv", str(first)]) == 2
        assert (
            f"{first} is a file that the scene reads (start.file). Give another name"
            in capsys.readouterr().err
        )
    assert first.read_bytes() == before


def test_check_passes_every_shipped_scene(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *SCENES]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.count("no problems") == len(SCENES)


def test_check_lists_all_problems_of_all_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.toml"
    inside = tmp_path / "inside.toml"
    wrong.write_text("format = 1\n[robot]\nmass_kg = -1\nn_links = 0\n")
    pipe = "[[obstacles]]\nkind = 'cylinder'\nx_m = 0\ny_m = 0\n"
    inside.write_text(f"format = 1\n{pipe}[[obstacles]]\nkind = 'stairs'\nx_m = 9\ny_m = 0\n")
    assert main(["check", str(wrong), str(inside), MAIN]) == 2
    output = capsys.readouterr()
    errors = output.err.splitlines()
    assert [line for line in errors if line.startswith(f"{wrong}: robot.")] == [
        line for line in errors if "wrong.toml" in line
    ]
    assert len([line for line in errors if "wrong.toml" in line]) == 2
    assert len([line for line in errors if "inside.toml" in line and "obstacles[" in line]) == 2
    assert "no problems" in output.out


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["run", "no/such.toml"], "no such file"),
        (["run", "."], "a folder"),
        (["run", MAIN, "--duration", "-1"], "duration must be a positive number (got -1.0)"),
        (["run", MAIN, "--duration", "soon"], "--duration"),
        (["run", MAIN, "--rate", "0"], "rate must be a positive number (got 0.0)"),
        (["run", MAIN, "--rate", "1e9"], "run.log_rate_hz"),
        (["run", MAIN, "--set", "gait.amplitude_deg"], "KEY=VALUE"),
        (["run", MAIN, "--set", "gait.amplitud_deg=3"], "Did you mean amplitude_deg"),
        (["run", MAIN, "--set", "gait.amplitude_deg=[1"], "TOML value"),
        (["run", MAIN, "--set", "gait.amplitude_deg=nan"], "finite number"),
        (["run", MAIN, "--set", "robot.joint_limit_deg=10"], "joint_limit_deg"),
        (["run", MAIN, "--set", "obstacles[1].friction=-0.5"], "friction"),
        (["run", MAIN, "--size", "big", "--video", "x.mp4"], "WIDTHxHEIGHT"),
        (["run", MAIN, "--video", "x.avi"], ".avi"),
        (["run", MAIN, "--fps", "0", "--video", "x.mp4"], "frames per second"),
        (["run", MAIN, "--csv", MAIN], "the scene itself"),
        (["run"], "SCENE"),
        (["run", MAIN, "--nonsense"], "--nonsense"),
        (["check"], "SCENE"),
        (["warm-up", "magic"], "magic"),
        (["gui", "no/such.toml"], "no such file"),
        (["gui", "no/such.mcap"], "no such file"),
        (["no_such_command_or_file"], "no such file"),
    ],
)
def test_mistake_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    piece: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    output = capsys.readouterr()
    assert code == 2
    assert piece in output.err
    assert "Traceback" not in output.err
    assert list(tmp_path.iterdir()) == []


def test_failed_simulation_is_exit_code_3_with_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The explicit PD law is unstable above 1/2800 s (PHYSICS): at 1/500 s the joints diverge in the
    # run.
    csv = tmp_path / "a.csv"
    code = main(
        [
            "run",
            MAIN,
            "--set",
            "solver.step_s=0.002",
            "--set",
            "run.log_rate_hz=100",
            "--csv",
            str(csv),
        ]
    )
    output = capsys.readouterr()
    assert code == 3
    assert "t = " in output.err
    assert csv.stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("obstacle_aided", ["solver.step_s=0.002"]),
        ("sidewinding", ["solver.step_s=0.005"]),
        ("lagrangian_undulation", ["start.omega_deg_s=36000", "solver.step_s=0.01"]),
        ("jam_resolution", ["ground.obstacle_damping_ns_per_m=1e6", "start.vx_m_s=30"]),
    ],
)
def test_nonfinite_run_is_reported_with_exit_code_3(
    name: str, values: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [argument for value in values for argument in ("--set", value)]
    assert main(["run", str(scenes_dir() / f"{name}.toml"), "--duration", "1", *arguments]) == 3
    assert "diverged" in capsys.readouterr().err


def test_nonfinite_body_is_reported_with_exit_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "far.toml"
    scene.write_text(
        """
        format = 1
        model = {kind = "continuum_beam"}
        beam = {length_m = 0.5, radius_m = 0.02, group = "SE2"}
        strain = {kind = "formulas", k_z_per_m = "sin(2*t)"}
        solver = {step_s = 0.01}
        run = {duration_s = 1.0, log_rate_hz = 50.0}
        [support]
        kind = "anchors"
        anchors = [{at_m = "0", velocity_m_s = ["1e10", "0", "0"]}]
        """
    )
    assert main(["run", str(scene)]) == 3
    assert "solver.error_tolerance" in capsys.readouterr().err


def test_link_through_a_wall_is_reported_with_exit_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "thrown.toml"
    scene.write_text(
        """
        format = 1
        robot = {n_links = 2, link_length_m = 0.1, contact_half_length_m = 0.04, radius_m = 0.01}
        ground = {mu_along = 0.0, mu_across = 0.0}
        joint_controller = {kp_nm_per_rad = 0.0, kd_nms_per_rad = 0.0}
        solver = {step_s = 0.004}
        control = {period_s = 0.02}
        run = {duration_s = 0.1, log_rate_hz = 50.0}
        obstacles = [
          {kind = "box", name = "Fence", x_m = 0.0, y_m = 0.5, length_m = 2.0, width_m = 0.002, height_m = 0.1},
        ]
        [start]
        kind = "state"
        position_m = [[0.0, 0.0, 0.01], [0.1, 0.0, 0.01]]
        orientation_wxyz = [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
        velocity_m_s = [[0.0, 30.0, 0.0], [0.0, 30.0, 0.0]]
        """
    )
    csv = tmp_path / "a.csv"
    code = main(["run", str(scene), "--csv", str(csv)])
    output = capsys.readouterr()
    assert code == 3
    assert "In step 5 (t = 0.016 s), link 1 passes through obstacle 1 (Fence)" in output.err
    assert "Reduce solver.step_s from 0.004 to 0.0003" in output.err
    assert csv.exists(), "rows up to the failure"


def test_window_without_display_suggests_a_command() -> None:
    done = snakestudio(MAIN)
    assert done.returncode == 2
    assert "no display" in done.stderr
    assert "snakestudio run" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_and_version_import_little() -> None:
    code = (
        "import sys\nfrom snakestudio.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit as e: assert e.code == 0\n"
        "print({'numpy', 'numba', 'PySide6', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "run" in done.stdout
    assert "check" in done.stdout
    assert done.stdout.endswith("set()\n")
    assert snakestudio("--version").stdout.startswith("SnakeStudio ")
