"""List every problem in scene and study files, with file, key, value and remedy; repair problems that have a fix."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.cli.shared import SCENE_HELP
from snakestudio.cli.terminal import RED, YELLOW, painted
from snakestudio.errors import UsageError
from snakestudio.paths import find_scene, is_bare_name, is_shipped_scene
from snakestudio.text import counted, listing

if TYPE_CHECKING:
    from snakestudio.errors import Problem, Severity

_MOST = 100
"""Largest number of fixes in one scene."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio check`."""
    parser.add_argument("scenes", metavar="SCENE", nargs="+", help=f"{SCENE_HELP}; or study files")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="repair errors and warnings that have a fix, and save (the previous file is saved as NAME~)",
    )
    parser.add_argument(
        "--hints",
        action="store_true",
        help="also list hints about values that runs do not need, such as the largest torque of motors",
    )
    add_json_argument(parser)


@dataclass(frozen=True, slots=True)
class _Report:
    """Problems of one file."""

    name: str
    """Name of the file as given on the command line."""
    path: Path
    kind: str
    problems: list[Problem]
    runs: int | None = None
    """Number of runs of a study."""

    @property
    def errors(self) -> int:
        return sum(problem.severity == "error" for problem in self.problems)

    def values(self) -> dict[str, Any]:
        """Return the report for scripts."""
        problems = [
            {
                "severity": problem.severity,
                "key": problem.key,
                "message": problem.message,
                "remedy": problem.remedy,
                "fixes": [fix.label for fix in problem.fixes],
            }
            for problem in self.problems
        ]
        runs = {} if self.kind == "scene" else {"runs": self.runs}
        return {"file": self.path, "kind": self.kind, **runs, "problems": problems}

    def print(self) -> None:
        """Print errors to the standard error, everything else to the standard output."""
        for problem in self.problems:
            text = problem.sentence()
            if problem.severity == "error":
                print(f"{painted(f'{self.name}:', RED, sys.stderr)} {text}", file=sys.stderr)
            else:
                severity = painted(f"{problem.severity}:", YELLOW, sys.stdout)
                print(f"{self.name}: {severity} {text}")
        if not self.errors:
            runs = "" if self.runs is None else f"; {counted(self.runs, 'run')}"
            print(f"{self.name}: {self._summary}{runs}")

    @property
    def _summary(self) -> str:
        """Number of warnings and hints, for a file without errors."""
        severities = [problem.severity for problem in self.problems]
        counts = [
            counted(severities.count(each), each)
            for each in ("warning", "hint")
            if each in severities
        ]
        return listing(counts) if counts else "no problems"


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio check`; return the exit code."""
    reports = []
    for name in options.scenes:
        report = _report(name, options.fix, options.hints)
        if not options.json:
            report.print()
        reports.append(report)
    errors = sum(report.errors for report in reports)
    if options.json:
        print_json(options, {"errors": errors, "files": [report.values() for report in reports]})
    return 2 if errors else 0


def _report(name: str, fix: bool, hints: bool) -> _Report:
    from snakestudio import api
    from snakestudio.plugins.scenes import without_running
    from snakestudio.study.study_file import is_study

    path = find_scene(Path(name))
    if fix and is_bare_name(Path(name)) and is_shipped_scene(path):
        raise UsageError(
            f"--fix {name}: bundled scenes cannot be changed. Copy {path}, and fix the copy."
        )
    with without_running():
        if is_study(path):
            return _study_report(name, path)
        if fix:
            _apply_fixes(str(path))
        return _Report(name, path, "scene", api.check(path, hints=hints))


def _study_report(name: str, path: Path) -> _Report:
    from snakestudio.errors import PluginError, Problem, SceneError, StudyError
    from snakestudio.study.running import check_measures, open_plan, warnings_of

    try:
        plan = open_plan(path)
        check_measures(plan)
    except PluginError as error:
        return _Report(name, path, "study", _lines(error, "warning"))
    except StudyError as error:
        return _Report(name, path, "study", list(error.problems) or _lines(error))
    except SceneError as error:  # the messages name the scene's file
        return _Report(name, path, "study", _lines(error))
    warnings = [
        Problem("warning", "", sentence.removeprefix(f"{plan.source}: ").removesuffix("."), "")
        for sentence in warnings_of(plan)
    ]
    return _Report(name, path, "study", warnings, plan.study.n_runs)


def _lines(error: Exception, severity: Severity = "error") -> list[Problem]:
    """Return the messages of an error, each as a problem."""
    from snakestudio.errors import Problem

    return [Problem(severity, "", line.removesuffix("."), "") for line in str(error).splitlines()]


def _apply_fixes(name: str) -> None:
    """Apply the fixes of a scene file one after the other."""
    from snakestudio import api
    from snakestudio.errors import SceneError
    from snakestudio.model.edits import with_values
    from snakestudio.session.scene_check import check

    try:
        before = scene = api.load_scene(name)
    except SceneError:
        return  # an unreadable file cannot be fixed
    folder = Path(name).parent
    tried: set[tuple[str, str]] = set()
    for _ in range(_MOST):
        fixable = [
            p
            for p in check(scene, folder)
            if p.fixes and p.severity != "hint" and (p.key, p.message) not in tried
        ]
        if not fixable:
            break
        problem = fixable[0]
        # a fix that does not help would be repeated forever
        tried.add((problem.key, problem.message))
        scene = with_values(scene, dict(problem.fixes[0].values))
        print(f"{name}: {problem.message}: {problem.fixes[0].label}")
    if scene != before:
        api.save_scene(scene, name)
