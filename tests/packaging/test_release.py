"""Releases: one version, notes from the CHANGELOG, comparison of builds, and a workflow of existing scripts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import snakestudio

ROOT = Path(snakestudio.__file__).parents[1]
PACKAGING = ROOT / "packaging"
WORKFLOWS = ROOT / ".github" / "workflows"


def run(
    *command: object, folder: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        timeout=120,
        check=False,
    )


# --- version and notes ----------------------------------------------------------------------------


def test_version_is_declared_once() -> None:
    """All other files derive it: a second declaration would be forgotten in a release."""
    literal = f'"{snakestudio.__version__}"'
    stated = [
        path
        for folder in ("snakestudio", "packaging", ".github")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".sh", ".toml", ".yml", ".spec", ".txt")
        and "licences" not in path.parts
        if re.search(
            rf"(?i)version\w*\W+{re.escape(literal[1:])}",
            path.read_text(encoding="utf-8", errors="replace"),
        )
    ]
    assert stated == [ROOT / "snakestudio" / "_version.py"]
    shell = run("sed", "-n", r's/^__version__ = "\(.*\)"$/\1/p', "snakestudio/_version.py")
    assert shell.stdout == f"{snakestudio.__version__}\n", "as the shell scripts read it"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with the scripts of the release and its own version."""
    folder = tmp_path / "checkout"
    (folder / "snakestudio").mkdir(parents=True)
    (folder / "packaging").mkdir()
    (folder / "snakestudio" / "_version.py").write_text('__version__ = "1.2.3"\n')
    (folder / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.2.3 (2030-01-01)\n\n- New.\n- Newer.\n\n## 1.2\n\n## 0.9\n- Old\n"
    )
    for name in ("release.sh", "release_notes.py"):
        (folder / "packaging" / name).write_bytes((PACKAGING / name).read_bytes())
    identity = ("-c", "user.name=A", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "All")):
        assert run("git", *command, folder=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("arguments", "out"),
    [((), "- New.\n- Newer.\n"), (("0.9",), "- Old\n")],
    ids=["the present one", "an old one"],
)
def test_notes_are_the_section_of_the_changelog(
    checkout: Path, arguments: tuple[str, ...], out: str
) -> None:
    done = run(sys.executable, "packaging/release_notes.py", *arguments, folder=checkout)
    assert (done.stdout, done.returncode) == (out, 0)


@pytest.mark.parametrize(
    ("version", "piece"), [("1.2", "no entries under"), ("1.2.4", "has no section '## 1.2.4'")]
)
def test_missing_notes_stop_a_release(checkout: Path, version: str, piece: str) -> None:
    done = run(sys.executable, "packaging/release_notes.py", version, folder=checkout)
    assert done.returncode == 2
    assert piece in done.stderr
    (checkout / "snakestudio" / "_version.py").write_text(f'__version__ = "{version}"\n')
    done = run("bash", "packaging/release.sh", folder=checkout)
    assert done.returncode == 2
    assert piece in done.stderr
    assert not (checkout / "dist").exists()


def test_uncommitted_changes_stop_a_release(checkout: Path) -> None:
    (checkout / "new.txt").write_text("new")
    done = run("bash", "packaging/release.sh", folder=checkout)
    assert done.returncode == 2
    assert "uncommitted changes" in done.stderr
    assert "new.txt" in done.stderr


def test_current_version_has_notes() -> None:
    done = run(sys.executable, PACKAGING / "release_notes.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("### ")


# --- two builds -----------------------------------------------------------------------------------


def build(folder: Path, text: str, mtime: int = 0) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.whl", "w") as wheel:
        wheel.writestr(zipfile.ZipInfo("same.py"), "same")
        wheel.writestr(zipfile.ZipInfo("other.py"), text)
    (folder / "file").write_text(text)
    with tarfile.open(folder / "a.tar.gz", "w:gz", compresslevel=1) as archive:
        info = tarfile.TarInfo("late")
        info.mtime = mtime
        archive.addfile(info)


def test_differing_files_of_builds_are_listed(tmp_path: Path) -> None:
    build(tmp_path / "one", "one")
    build(tmp_path / "other", "other", 7)
    (tmp_path / "other" / "more").write_text("")
    done = run(
        sys.executable, PACKAGING / "compare_builds.py", tmp_path / "one", tmp_path / "other"
    )
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a.tar.gz: differs in 1 of 1 files inside",
        "    late",
        "a.whl: differs in 1 of 2 files inside",
        "    other.py",
        "file: differs",
        f"more: only in {tmp_path / 'other'}",
    ]
    (tmp_path / "again").mkdir()
    for path in (tmp_path / "one").iterdir():
        (tmp_path / "again" / path.name).write_bytes(path.read_bytes())
    same = run(
        sys.executable, PACKAGING / "compare_builds.py", tmp_path / "one", tmp_path / "again"
    )
    assert (same.returncode, same.stdout) == (0, "")


# --- scripts and workflow -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script", sorted(path.relative_to(ROOT).as_posix() for path in PACKAGING.rglob("*.sh"))
)
def test_every_script_has_valid_shell_syntax(script: str) -> None:
    shell = (
        (ROOT / script).read_text(encoding="utf-8").splitlines()[0].rpartition("/")[2].split()[-1]
    )
    done = run(shell, "-n", script)
    assert done.returncode == 0, done.stderr


WORKFLOW_JOBS = {"checks": {"test"}, "other_systems": {"test"}, "release": {"release"}}
"""Jobs with steps of each workflow."""


def test_workflows_are_those_that_are_tested() -> None:
    assert {path.name for path in WORKFLOWS.iterdir()} == {f"{name}.yml" for name in WORKFLOW_JOBS}


def test_workflows_call_existing_scripts() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS.iterdir())
    called = set(re.findall(r"(?:\.ci|packaging)/[\w./-]*\w", re.sub(r"#.*", "", text)))
    assert {".ci/run", "packaging/release.sh", "packaging/smoke.sh"} <= called
    assert [name for name in sorted(called) if not (ROOT / name).is_file()] == []
    uses = re.findall(r"uses: (\S+)", text)
    local = [name for name in uses if name.startswith("./")]
    assert local == ["./.github/workflows/checks.yml"], "a release runs the checks"
    assert [
        action
        for action in set(uses) - set(local)
        if not re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", action)
    ] == []


@pytest.mark.parametrize("name", WORKFLOW_JOBS)
def test_jobs_of_workflow_have_what_github_requires(name: str) -> None:
    content = yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8"))
    assert {"name", "permissions", "jobs"} <= set(content)
    jobs = {job: set(keys) for job, keys in content["jobs"].items() if "uses" not in keys}
    assert set(jobs) == WORKFLOW_JOBS[name]
    assert all({"runs-on", "steps", "timeout-minutes"} <= keys for keys in jobs.values())
