"""Numbers of warnings, and warnings about values that the user has not set."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import COMMANDS, main, parser_of


def test_check_counts_warnings_and_hints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.toml"
    path.write_text('format = 1\n[model]\nkind = "planar_lagrangian"\n[ground]\nmu_rolling = 0.2\n')
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{path}: 1 warning"


def test_run_warns_of_own_values_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = ["run", "lagrangian_undulation", "--duration", "0.05", "--set"]
    assert main([*own, 'controller.kind="phase_oscillators"', "--csv", "a.csv"]) == 0
    assert "no effect" not in capsys.readouterr().err
    assert main([*own, "ground.mu_rolling=0.2", "--csv", "b.csv"]) == 0
    assert "ground.mu_rolling" in capsys.readouterr().err


def test_quiet_is_an_option_of_every_command() -> None:
    for name in COMMANDS:
        if name not in ("gui", "completion"):
            assert parser_of(name).has_option("-q"), name
            assert parser_of(name).has_option("--quiet"), name


def test_quiet_plugin_new_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugin", "new", "gait", str(tmp_path / "my_gait.py"), "-q"]) == 0
    assert capsys.readouterr().out == ""
