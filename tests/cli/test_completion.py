"""Completion of the command line: results in bash, and scripts that all shells can read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from snakestudio.cli import COMMANDS, main
from snakestudio.cli.completion_script import script
from snakestudio.paths import bundled_scenes

SPLIT = r"""
offered() {
  local line="$1" word="" i letter
  COMP_LINE="$line" COMP_POINT=${#line} COMP_WORDS=() COMPREPLY=()
  for ((i = 0; i < ${#line}; i++)); do
    letter="${line:i:1}"
    case "$letter" in
      ' ') [[ -n $word ]] && COMP_WORDS+=("$word"); word="" ;;
      = | :) [[ -n $word ]] && COMP_WORDS+=("$word"); COMP_WORDS+=("$letter"); word="" ;;
      *) word+="$letter" ;;
    esac
  done
  [[ $line == *[=:] ]] || COMP_WORDS+=("$word")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _snakestudio
  echo "${COMPREPLY[*]}"
}
"""
"""Call the completion as bash does, which splits arguments at = and :."""


@pytest.fixture(scope="module")
def bash_script() -> str:
    return script("bash")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("snakestudio ex", {"export", "export-model"}),
        ("snakestudio sidew", {"sidewinding"}),
        ("snakestudio study n", {"new"}),
        ("snakestudio run stai", {"stairs"}),
        ("snakestudio run ow", {"own.toml"}),
        ("snakestudio run own.toml --chec", {"--check-step"}),
        ("snakestudio run --csv=ow", {"own.toml"}),
        ("snakestudio run --csv=own.csv stai", {"stairs"}),
        ("snakestudio run --set gait.amplitude_deg=30 stai", {"stairs"}),
        ("snakestudio run --set gait.amplitude_d", {"gait.amplitude_deg="}),
        ("snakestudio run --set gait.kind=tw", {"two_waves"}),
        ("snakestudio run --set gait.kind=two", {"two_waves"}),
        ("snakestudio study new stairs --search la", {"latin_hypercube"}),
        ("snakestudio study new stairs --maximise net_s", {"net_speed"}),
        ("snakestudio fit-strain stairs --contacts ", {"friction", "rings"}),
        ("snakestudio compare models stairs spatial", {"spatial_nonsmooth"}),
        ("snakestudio drive stairs lab_r", {"lab_robot"}),
        ("snakestudio completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_bash_completes_words(
    line: str, expected: set[str], bash_script: str, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").touch()
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{bash_script}\n{SPLIT}\noffered {line!r}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_has_all_commands_and_scenes(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for argument in (
        *(part for name in COMMANDS for part in name.split()),
        *bundled_scenes(),
        "gait.amplitude_deg",
    ):
        assert argument in text
    if shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(text)
        assert subprocess.run([shell, "-n", str(file)], capture_output=True).returncode == 0
