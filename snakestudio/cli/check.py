"""List every mistake in scene and study files, one sentence each: file, key, value, remedy; mend what has a fix."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from snakestudio.errors import Problem

__all__ = ["add_arguments", "execute"]

_MOST = 100
"""Fixes that one scene may take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio check`."""
    parser.add_argument("scenes", metavar="SCENE", nargs="+", help="scene files, or study files")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="mend errors and warnings that have a fix, and save (the old file stays as NAME~)",
    )


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio check`."""
    import sys
    from pathlib import Path

    from snakestudio import api
    from snakestudio.plugins.scenes import without_running
    from snakestudio.study.study_file import is_study

    mistakes = 0
    for name in options.scenes:
        with without_running():
            if is_study(Path(name)):
                mistakes += _mistakes_of_study(Path(name))
                continue
            problems = _mended(name) if options.fix else api.check(name)
        errors = [problem for problem in problems if problem.severity == "error"]
        mistakes += len(errors)
        for problem in problems:
            text = problem.sentence()
            if problem.severity == "error":
                print(f"{name}: {text}", file=sys.stderr)
            else:
                print(f"{name}: {problem.severity}: {text}")
        if not errors:
            print(f"{name}: no mistakes")
    return 2 if mistakes else 0


def _mistakes_of_study(path: Path) -> int:
    """How many mistakes a study has; they are said."""
    import sys

    from snakestudio.errors import PluginError, SceneError, StudyError
    from snakestudio.study.running import check_measures, open_plan, warnings_of

    try:
        plan = open_plan(path)
        check_measures(plan)
    except PluginError as error:
        print(f"{path}: warning: {error}")
        print(f"{path}: no mistakes in what was checked")
        return 0
    except (StudyError, SceneError) as error:
        print(error, file=sys.stderr)
        return max(1, len(error.problems))
    for sentence in warnings_of(plan):
        print(sentence)
    print(f"{path}: no mistakes; {plan.study.n_runs} run{'s' * (plan.study.n_runs != 1)}")
    return 0


def _mended(name: str) -> list[Problem]:
    """What is left to say about a scene once everything that has a fix is mended, one thing after the other."""
    from pathlib import Path

    from snakestudio import api
    from snakestudio.errors import SceneError
    from snakestudio.model.edits import with_values
    from snakestudio.session.scene_check import check

    try:
        before = scene = api.load_scene(name)
    except SceneError:
        return api.check(name)  # nothing can be mended in what cannot be read
    folder = Path(name).parent
    tried: set[tuple[str, str]] = set()
    for _ in range(_MOST):
        found = [
            p for p in check(scene, folder) if p.fixes and p.severity != "hint" and (p.key, p.message) not in tried
        ]
        if not found:
            break
        problem = found[0]
        tried.add((problem.key, problem.message))  # what is not mended by its fix would come again and again
        scene = with_values(scene, dict(problem.fixes[0].values))
        print(f"{name}: {problem.message}: {problem.fixes[0].label}")
    if scene != before:
        api.save_scene(scene, name)
    return api.check(name)
