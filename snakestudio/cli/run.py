"""Run a scene without a window, as fast as possible, and write the requested files."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.ending import Ending
from snakestudio.cli.exports import Export, add_export_arguments, report, requested, write_run
from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_json_argument, add_quiet_argument, print_json
from snakestudio.cli.shared import (
    ProgressLine,
    add_scene_arguments,
    assignments,
    warm_up,
    warn_of,
)
from snakestudio.cli.streaming import (
    Streaming,
    add_stream_arguments,
    speed_of,
    stream_target,
    streaming,
)
from snakestudio.cli.terminal import YELLOW, painted, print_warning
from snakestudio.cli.together import add_trigger_arguments, started_together, trigger_choices
from snakestudio.cli.video_options import add_video_arguments
from snakestudio.errors import PhysicsError, UsageError
from snakestudio.paths import is_shipped_scene

if TYPE_CHECKING:
    from snakestudio.api import Run, StepReport
    from snakestudio.model.events import Change
    from snakestudio.model.pull import Pull
    from snakestudio.model.scene import Scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio run`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "--seed",
        metavar="N",
        type=int,
        help="draw new seeds for random parts of the scene, such as rubble, except those of --set",
    )
    parser.add_argument(
        "--from",
        metavar="T",
        type=float,
        dest="since",
        help="continue a recorded run (SCENE is its .mcap file) from T seconds as a new run; --set changes values",
    )
    add_export_arguments(
        parser,
        ("csv", "hdf5", "mcap", "video"),
        mcap="record to a run file (.mcap) during the run",
    )
    parser.add_argument(
        "--contact-problem",
        metavar="F",
        type=output,
        help="write the contact problem of the last step for other solvers, as FCLIB (.hdf5) or as arrays (.npz)",
    )
    parser.add_argument(
        "--check-step",
        action="store_true",
        help="first run the scene with its time step, half and a quarter of it, and estimate the error of the step",
    )
    add_force_argument(parser)
    add_json_argument(parser)
    add_quiet_argument(parser)
    add_video_arguments(parser)
    add_trigger_arguments(
        parser, "address to listen on with --wait-for (all addresses of this computer)"
    )
    add_stream_arguments(parser, paced=True)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio run`; return the exit code."""
    with contextlib.ExitStack() as rows_wait:
        return _execute(options, rows_wait)


def _execute(options: argparse.Namespace, rows_wait: contextlib.ExitStack) -> int:
    """Run the scene; from the first row on, `rows_wait` defers signals until the rows are written."""
    values = assignments(options.values)
    target = stream_target(options)
    speed = speed_of(options)

    from snakestudio import api
    from snakestudio.export.formats import require_possible
    from snakestudio.session.contact_problem_file import require_contact_problem

    # Report outputs that cannot be written before the run, not after it.
    exports = requested(options)
    outputs = Outputs(
        options,
        (options.scene,),
        *(export.path for export in exports),
        options.contact_problem,
    )
    films = [export for export in exports if export.kind.name == "video"]
    files = [export for export in exports if export not in films]
    line = ProgressLine(options)
    ending = Ending()
    live = outputs.live(options.mcap)
    if options.since is not None:
        if options.check_step:
            raise UsageError("--check-step runs a scene from its start. Remove --from.")
        if options.seed is not None:
            raise UsageError(
                "--seed belongs to the start of a run. Remove it, or run without --from."
            )
        with streaming(target) as stream:
            started = time.perf_counter()
            run = _continued(options, values, line, ending, live, rows_wait, stream)
            took = time.perf_counter() - started
    else:
        scene, base_dir, changes = api.prepare(
            options.scene, options.duration, options.rate, values, options.seed
        )
        outputs.spare_files_of(scene, base_dir)
        if options.contact_problem is not None:
            require_contact_problem(scene.model.kind, options.contact_problem)
        for export in exports:
            require_possible(export.kind, scene, export.path)
        _warn(scene, base_dir, options.scene, values)
        warm_up([scene.model.kind], line)
        estimate = api.known_step_estimate(options.scene, scene, changes)
        if options.check_step:
            check = _check_step(scene, base_dir, changes, line, ending)
            if check is None:
                return ending.code
            estimate = check.data.estimate
            if not _has_outputs(options, exports):
                if options.json:
                    print_json(
                        options,
                        {"scene": options.scene, "step_estimate": estimate and estimate.values},
                    )
                return _without_run(check)
        with (
            streaming(target) as stream,
            started_together(options, Path(options.scene).stem) as start,
        ):
            rows_wait.enter_context(ending.deferring_signals())
            started = time.perf_counter()
            tell = ending.cancellable(line.reporter("simulating", scene.run.duration_s))
            run = api.simulate_scene(
                scene,
                base_dir,
                changes,
                Path(options.scene).name,
                tell,
                live,
                start.notes,
                start.finish,
                options.contact_problem,
                estimate,
                began=lambda recording: stream.show(lambda: recording, base_dir),
                speed=speed,
            )
            line.clear()
            took = time.perf_counter() - started
    simulated = float(run.recording.times[-1])
    last = run.recording.rows(len(run.recording) - 1, len(run.recording))
    unconverged = int(last.solver_unconverged[0])
    plausibility = run.plausibility
    doubt = (
        ""
        if plausibility is None or plausibility.plausible
        else f", not plausible: {plausibility.summary}"
    )
    worst = f", worst residual {run['solver_residual'].max():.1e}" if unconverged else ""
    print(
        f"{Path(options.scene).name}: {simulated:g} s simulated in {took:.2f} s, "
        f"{int(last.steps[0])} steps, {unconverged} unconverged{worst}{doubt}"
    )
    if plausibility is not None:
        warn_of(plausibility)
    if ending.number:
        remark = "; the rows recorded so far are written" if files else ""
        print_warning(f"stopped by {ending.by} at {simulated:g} s{remark}.")
    if options.contact_problem is not None:
        print(
            f"wrote {options.contact_problem}: contact problem of the step that ends at {simulated:g} s"
        )
    write_run(outputs, options, run, files)
    written = {film.path: _film(film, run, outputs, line, ending) for film in films}
    if options.json:
        residual = run.get("solver_residual")
        print_json(
            options,
            {
                "scene": options.scene,
                "simulated_s": simulated,
                "computed_s": took,
                "steps": int(last.steps[0]),
                "unconverged": unconverged,
                "worst_residual": None if residual is None else residual.max(),
                "rows": len(run.recording),
                "failure": run.failure or None,
                "stopped_by": ending.by if ending.number else None,
                "step_estimate": None if run.step_estimate is None else run.step_estimate.values,
                "plausibility": None if plausibility is None else plausibility.values,
                "files": {
                    "csv": options.csv,
                    "hdf5": options.hdf5,
                    "mcap": options.mcap,
                    "video": written.get(options.video),
                    "contact_problem": options.contact_problem,
                    "to": [written.get(path, path) for path in options.to],
                },
            },
        )
    if ending.number:
        for path, video in written.items():
            if video is None:
                print_warning(f"{path} was not written because the run was stopped.")
        return ending.code
    if run.failure:
        raise PhysicsError(run.failure)
    return 0


def _check_step(
    scene: Scene,
    base_dir: Path | None,
    changes: tuple[Change | Pull, ...],
    line: ProgressLine,
    ending: Ending,
) -> StepReport | None:
    """Check the time step and print the result; None if that was interrupted."""
    from snakestudio import api

    with ending.deferring_signals():
        report = ending.cancellable(line.reporter("checking the time step"))
        check = api.check_scene_step_size(scene, base_dir, changes, report)
    line.clear()
    if check is None:
        print_warning(f"stopped by {ending.by} during the check of the time step.")
        return None
    print(f"{check}\n")
    return check


def _has_outputs(options: argparse.Namespace, exports: Sequence[Export]) -> bool:
    """Return whether there are outputs, or the run starts together with others."""
    return (
        bool(exports)
        or options.contact_problem is not None
        or options.stream is not None
        or trigger_choices(options) is not None
    )


def _without_run(check: StepReport) -> int:
    """Return the exit code without another run: the check has already run the scene."""
    failure = check.data.runs[0].failure
    if failure:
        raise PhysicsError(failure)
    return 0


def _warn(scene: Scene, base_dir: Path | None, name: str, values: Mapping[str, Any]) -> None:
    """Print the warnings of `snakestudio check`, so that users notice ignored values before the run.

    Values of a bundled scene that have no effect are not those of the user, unless the user has set them.
    """
    from snakestudio.kinds.reads import findings
    from snakestudio.session.scene_check import check

    path = Path(name)
    bundled = is_shipped_scene(path)
    others = [each.key for each in findings(scene) if each.key not in values] if bundled else []
    for problem in check(scene, base_dir):
        if problem.severity == "warning" and problem.key not in others:
            print(
                f"{path.name}: {painted('warning:', YELLOW, sys.stderr)} {problem.sentence()}",
                file=sys.stderr,
            )


def _film(
    export: Export, run: Run, outputs: Outputs, line: ProgressLine, ending: Ending
) -> Path | None:
    """Write the video of a completed run and return its path; None if the run was stopped."""
    if ending.number:
        return None
    with outputs.target(export.path) as output:
        written = export.write(run, output, ending.cancellable(line.reporter("rendering")))
        line.clear()
        if written is None:
            return None
        report(written)
        return written.path


def _continued(
    options: argparse.Namespace,
    values: dict[str, Any],
    line: ProgressLine,
    ending: Ending,
    live: Path | None,
    rows_wait: contextlib.ExitStack,
    stream: Streaming,
) -> Run:
    """Return a run that continues another one from a given time; print notes about it."""
    from snakestudio import api
    from snakestudio.runfile.mcap import open_run
    from snakestudio.session.contact_problem_file import require_contact_problem

    if Path(options.scene).suffix.lower() != ".mcap":
        raise UsageError(
            f"--from continues a recorded run. Give its .mcap file instead of {options.scene}."
        )
    if options.rate is not None:
        raise UsageError("--rate cannot change during a run. Remove it, or run without --from.")
    with contextlib.closing(open_run(options.scene)) as old:
        if options.contact_problem is not None:
            require_contact_problem(old.scene.model.kind, options.contact_problem)
        warm_up([old.scene.model.kind], line)
    rows_wait.enter_context(ending.deferring_signals())
    tell = ending.cancellable(line.reporter("simulating"))
    run, notes = api.continue_from(
        options.scene,
        options.since,
        options.duration,
        values,
        tell,
        live,
        options.contact_problem,
        began=lambda recording: stream.show(lambda: recording, Path(options.scene).parent),
        speed=speed_of(options),
    )
    line.clear()
    print(f"continued from {options.since:g} s of {Path(options.scene).name}")
    for note in notes:
        print(f"note: {note}")
    return run
