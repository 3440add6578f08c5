"""Export formats, built-in and from plug-ins: one table for the window, the command line, Python and remote control."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from snakestudio.errors import ExportError, PluginRuntimeError
from snakestudio.export.files import not_written, replacing, replacing_files
from snakestudio.export.format_options import export_option, option_docs, options_from
from snakestudio.export.video_options import VideoOptions
from snakestudio.inputs import local_path
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.registry import first_line, titled
from snakestudio.model.scene import Scene
from snakestudio.plugins.declaration import Declaration, Table
from snakestudio.text import listing

Subject = Literal["run", "scene", "contact_problem", "report", "view"]
"""What a format exports: a run (`snakestudio.Run`), a scene (an object with `scene` and `base_dir`, such
as a run), the contact problem of a step (an object with `write_contact_problem(path)`, such as a session), the
`Report` of an analysis or the view (an image with `save(name, format) -> bool`, as in Qt)."""

Progress = Callable[[float], bool]
"""Receives the finished fraction; returns False to cancel."""

EXPORTS: Table[ExportKind] = Table()
"""By name, in the order in which they are listed."""


class FileType(NamedTuple):
    """Type of files in a file dialog."""

    text: str
    endings: tuple[str, ...]
    """File extensions with the dot, the usual one first."""


class Written(NamedTuple):
    """Result of an export."""

    path: Path
    """File or folder that was written."""

    content: str = ""
    """Amount of data, such as "101 rows"."""

    notes: tuple[str, ...] = ()
    """Differences from what was exported, one sentence each."""


class SceneSource(NamedTuple):
    """Scene to export."""

    scene: Scene
    base_dir: Path | None = None
    """Folder to which file names in the scene are relative."""


@dataclass(frozen=True)
class FigureOptions:
    """Options of figures."""

    suffix: str = export_option(".pdf", "Format", choices=(".pdf", ".svg", ".png"))
    """".pdf", ".svg" or ".png"."""


@dataclass(frozen=True)
class PlanOptions:
    """Options of plans, see `write_plan`."""

    width_mm: float = export_option(
        180.0,
        "Width",
        "Width of the sheet; the height follows",
        unit="mm",
        minimum=50.0,
        maximum=2000.0,
    )
    names: bool = export_option(True, "Labels", "Whether obstacles are labelled with their names")


@dataclass(frozen=True)
class ModelOptions:
    """Options of models, see `write_model`."""

    model_format: str | None = export_option(None, visible=False)


@dataclass(frozen=True)
class ReportOptions:
    """Options of reports."""

    suffix: str = export_option("", visible=False)
    """File extension that decides the format; by default that of the path."""


def _always(scene: Scene) -> bool:
    return True


def _same(path: Path, options: Any) -> Path:
    return path


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportKind(Declaration):
    """A file format."""

    role: ClassVar[str] = "export"
    registry: ClassVar[Any] = EXPORTS
    calls: ClassVar[Mapping[str, str]] = {
        "write": "run, path",
        "possible": "scene",
        "target": "path, options",
    }

    name: str
    """Name of the format in lists."""

    ending: str
    """File extension with the dot: ".vtk"; "" if a folder is written (built-in formats only)."""

    write: Callable[..., object]
    """Writes a run (`snakestudio.Run`: arrays by column name, `scene`, `recording`) to a
    path: write(run, path), or write(run, path, progress) if `reports_progress`. What it gets instead
    of a run for another `subject` is explained at `Subject`."""

    title: str = ""
    """Name for people; by default from `name`."""

    help: str = ""
    """Sentence for people; by default from the docstring of `write`."""

    subject: Subject = "run"
    """What is exported."""

    possible: Callable[[Scene], bool] = _always
    """Whether a scene, or a run of it, can be exported."""

    target: Callable[[Path, Any], Path] = _same
    """File that is written for a chosen path, with the options (built-in formats only). Raises
    `SnakeStudioError` if the format cannot be written to it."""

    sequences: tuple[str, ...] = ()
    """File extensions, of `types`, for which `write` creates several files, and replaces them itself
    (built-in formats only)."""

    reports_progress: bool = False
    """Whether `write` also gets `progress`, which it calls with the finished fraction. Its result False
    means that the user cancelled: `write` ends and returns False, too."""

    options: type | None = None
    """Dataclass with a default for each field, whose object `write` gets last; None for a format without
    options."""

    types: tuple[FileType, ...] = ()
    """Types of files in dialogs; by default one with `title` and `ending`."""

    infix: str = ""
    """Word that is suggested between the file name and the extension, with the dot: ".problem"."""

    derives: bool = True
    """Whether the window's derived channels are written, too."""

    icon: str = ""
    """Name of a bundled icon."""

    def __post_init__(self) -> None:
        """Fill in default values."""
        title = self.title or titled(self.name)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "help", self.help or first_line(self.write) or title)
        if not self.types and self.ending:
            object.__setattr__(self, "types", (FileType(title, (self.ending,)),))

    @property
    def kind_name(self) -> str:
        """Name of the format."""
        return self.name

    @property
    def endings(self) -> tuple[str, ...]:
        """All file extensions with the dot."""
        return tuple(ending for each in self.types for ending in each.endings)

    def arguments(self, name: str) -> tuple[str, ...]:
        """Arguments that the function in a field gets."""
        others = ("progress",) * self.reports_progress + ("options",) * (self.options is not None)
        return super().arguments(name) + (others if name == "write" else ())

    def mistake(self) -> tuple[str, str] | None:
        """Problem of the declaration and remedy; None if it is valid."""
        if self.subject not in ("run", "scene"):
            return f'a plug-in cannot export the subject "{self.subject}"', 'use "run" or "scene"'
        for ending in (self.ending, *self.endings):
            if not ending.startswith(".") or len(ending) < 2 or os.sep in ending:
                return f'"{ending}" is not a file extension', 'write it like ".vtk"'
            other = next(
                (kind for kind in of_subject(self.subject) if ending.lower() in kind.endings), None
            )
            if other is not None and other is not self:
                return (
                    f'files with the extension "{ending}" are already written as {other.title}',
                    "choose another extension",
                )
        return super().mistake()


def of_subject(*subjects: Subject) -> list[ExportKind]:
    """Formats of some subjects, by subject and then in the order of the table."""
    return [kind for subject in subjects for kind in EXPORTS.values() if kind.subject == subject]


def format_of(path: Path, *subjects: Subject) -> ExportKind:
    """Format for the extension of a path, by default among those of runs.

    Raises `ExportError` if there is none.
    """
    ending = path.suffix.lower()
    kinds = of_subject(*(subjects or ("run",)))
    for kind in kinds:
        if ending in kind.endings:
            return kind
    known = ", ".join(dict.fromkeys(ending for kind in kinds for ending in kind.endings))
    raise ExportError(
        f'{path}: No format ends in "{ending}". Use one of {known}, or load a plug-in that has it.'
    )


def named_format(name: str, *subjects: Subject) -> ExportKind:
    """Format with a name.

    Raises `ExportError` if there is none.
    """
    for kind in of_subject(*subjects):
        if kind.name == name:
            return kind
    known = listing([kind.name for kind in of_subject(*subjects)], "or")
    raise ExportError(f"There is no export format {name!r}. Use {known}, or load a plug-in.")


def is_possible(kind: ExportKind, scene: Scene) -> bool:
    """Whether a scene, or a run of it, can be exported.

    True if the plug-in of the format fails to answer; `write_as` then reports the failure.
    """
    try:
        return kind.possible(scene)
    except PluginRuntimeError:
        return True


def require_possible(kind: ExportKind, scene: Scene, path: Path) -> None:
    """Check that a scene, or a run of it, can be exported.

    Raises `ExportError` if it cannot. Raises `PluginRuntimeError` if the plug-in of the format fails.
    """
    if not kind.possible(scene):
        raise ExportError(f"{path}: {kind.title} cannot represent this scene. Use another format.")


def option_names(kind: ExportKind) -> tuple[str, ...]:
    """Names of the options of a format."""
    return tuple(option_docs(kind.options))


def options_of(kind: ExportKind, values: Mapping[str, Any], others: Any = None) -> Any:
    """Options of a format from the values of some fields; see `options_from`."""
    return options_from(kind.options, values, kind.title, others)


def write_as(
    kind: ExportKind,
    subject: Any,
    path: Path,
    options: Any = None,
    progress: Progress | None = None,
) -> Written | None:
    """Write to a file (or folder) in a format; the file appears when it is complete, or not at all.

    Raises `ExportError` if it cannot be written. Raises `PluginRuntimeError` if the code of a
    plug-in fails.

    Parameters
    ----------
    subject : object
        See `Subject`.
    options : object, optional
        Object of `kind.options`; by default its default values.
    progress : callable, optional
        Called with the finished fraction; the export is cancelled without a file when it returns False.

    Returns
    -------
    Written or None
        None if it was cancelled.
    """
    if options is None and kind.options is not None:
        options = kind.options()
    path = kind.target(local_path(path), options)
    arguments: list[Any] = []
    if kind.reports_progress:
        arguments.append(progress or (lambda fraction: True))
    if kind.options is not None:
        arguments.append(options)
    plugin = EXPORTS.source(kind.name)
    if plugin:  # built-in formats report the reason
        require_possible(kind, subject.scene, path)
    if not kind.ending or path.suffix.lower() in kind.sequences:
        result = kind.write(subject, path, *arguments)
        return result if isinstance(result, Written) else None
    with replacing(path) as partial:
        if plugin:
            partial.path.unlink()  # a plug-in that writes nothing must not leave an empty file
        result = kind.write(subject, partial.path, *arguments)
        cancelled = kind.reports_progress and result is False
        if plugin and not cancelled and not os.path.isfile(partial.path):
            raise ExportError(
                f"{path}: The plug-in {plugin} wrote no file. Fix its export {kind.name}."
            )
        partial.keep = not cancelled and (progress is None or progress(1.0))
    if not partial.keep:
        return None
    return result._replace(path=path) if isinstance(result, Written) else Written(path)


def _rows(run: Any) -> str:
    return f"{len(run.recording)} rows"


def _write_csv(run: Any, path: Path, progress: Progress) -> Written | bool:
    from snakestudio.export.csv import write_csv

    return write_csv(path, run.recording, run.scene_file, progress) and Written(path, _rows(run))


def _write_hdf5(run: Any, path: Path, progress: Progress) -> Written | bool:
    from snakestudio.export.hdf5 import write_hdf5

    return write_hdf5(path, run.recording, run.scene_file, progress) and Written(path, _rows(run))


def _write_mcap(run: Any, path: Path, progress: Progress) -> Written | bool:
    from snakestudio.export.mcap import write_mcap

    complete = write_mcap(path, run.recording, run.scene_file, progress, base_dir=run.base_dir)
    return complete and Written(path, _rows(run))


def _write_video(run: Any, path: Path, progress: Progress, options: VideoOptions) -> Written | bool:
    from snakestudio.export.video import write_video

    written = write_video(path, run.recording, options, progress, base_dir=run.base_dir)
    return False if written is None else Written(written)


def _video_target(path: Path, options: VideoOptions) -> Path:
    from snakestudio.export.codecs import video_path

    return video_path(path, options.codec)


def _write_figures(
    run: Any, folder: Path, progress: Progress, options: FigureOptions
) -> Written | bool:
    from snakestudio.export.figures.make import FigureOutput, write_run_figures

    with replacing_files(folder) as partial:
        output = FigureOutput(partial.path, options.suffix)

        def report(fraction: float) -> bool:
            partial.keep = progress(fraction)
            return partial.keep

        files = write_run_figures(output, run.recording, run.scene_file, progress=report)
    return partial.keep and Written(folder, f"{len(files)} figures")


def _write_contact_problem(session: Any, path: Path) -> None:
    session.write_contact_problem(path)


def _problem_target(path: Path, options: None) -> Path:
    from snakestudio.session.contact_problem_file import require_ending

    require_ending(path)
    return path


def _plan_target(path: Path, options: PlanOptions) -> Path:
    from snakestudio.export.printing import printed_suffix

    printed_suffix(path, "plans")
    return path


def _model_target(path: Path, options: ModelOptions) -> Path:
    from snakestudio.export.model import format_of_model

    format_of_model(path, options.model_format)
    return path


def _report_target(path: Path, options: ReportOptions) -> Path:
    from snakestudio.export.report_files import report_path

    if (options.suffix or path.suffix.lower()) != ".csv":
        report_path(path)
    return path


def _screenshot_target(path: Path, options: None) -> Path:
    if not os.path.isdir(path.parent):  # a mistyped folder is not created for a picture
        raise not_written(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    return path


def _write_plan(source: Any, path: Path, options: PlanOptions) -> None:
    from snakestudio.export.plan import write_plan

    write_plan(path, source.scene, source.base_dir, width_mm=options.width_mm, names=options.names)


def _write_model(source: Any, path: Path, options: ModelOptions) -> Written:
    from snakestudio.export.model import write_model

    notes = write_model(path, source.scene, source.base_dir, options.model_format)
    return Written(path, notes=notes)


def _write_report(report: Any, path: Path, progress: Progress, options: ReportOptions) -> bool:
    from snakestudio.export.report_files import write_report, write_report_csv

    write = write_report_csv if options.suffix == ".csv" else write_report
    return write(path, report, progress)


def _write_screenshot(image: Any, path: Path) -> None:
    if not image.save(str(path), "PNG"):
        raise OSError("the image cannot be created in this size")


def _built_in() -> Iterable[ExportKind]:
    yield ExportKind(
        name="csv",
        ending=".csv",
        types=(FileType("Comma-separated values", (".csv",)),),
        title="CSV",
        help="All columns as text, with a header that rebuilds the run",
        write=_write_csv,
        reports_progress=True,
        icon="table",
    )
    yield ExportKind(
        name="hdf5",
        ending=".h5",
        types=(FileType("HDF5", (".h5", ".hdf5")),),
        title="HDF5",
        help="All columns as arrays with units, and the scene, for MATLAB, Python and others",
        write=_write_hdf5,
        reports_progress=True,
    )
    yield ExportKind(
        name="mcap",
        ending=".mcap",
        types=(FileType("Run file", (".mcap",)),),
        title="MCAP",
        help="A run file, exact to the bit, also for Foxglove, PlotJuggler and Rerun",
        write=_write_mcap,
        reports_progress=True,
        derives=False,  # plots derive the channels again
    )
    yield ExportKind(
        name="video",
        ending=".mp4",
        types=(
            FileType("Video", (".mp4", ".mkv", ".webm", ".mov")),
            FileType("Animation", (".gif",)),
            FileType("Image of each frame", (".png",)),
        ),
        title="Video",
        help="A video, an animation (.gif) or an image of each frame (.png)",
        write=_write_video,
        target=_video_target,
        sequences=(".png",),
        reports_progress=True,
        options=VideoOptions,
        icon="video",
    )
    yield ExportKind(
        name="figures",
        ending="",
        title="Figures",
        help="Figures for print: general ones, and those of the papers for its scene",
        write=_write_figures,
        reports_progress=True,
        options=FigureOptions,
        derives=False,
    )
    yield ExportKind(
        name="contact_problem",
        subject="contact_problem",
        ending=".hdf5",
        types=(
            FileType("FCLIB, for other solvers", (".hdf5", ".h5")),
            FileType("Arrays", (".npz",)),
        ),
        infix=".problem",
        title="Contact Problem",
        help="The contact problem of the last step for other solvers (FCLIB) or as arrays",
        write=_write_contact_problem,
        target=_problem_target,
        possible=lambda scene: FORMULATIONS[scene.model.kind].contact_problems,
    )
    yield ExportKind(
        name="plan",
        subject="scene",
        ending=".svg",
        types=(
            FileType("Drawing", (".svg",)),
            FileType("Image", (".png",)),
            FileType("Document", (".pdf",)),
        ),
        title="Plan",
        help="A scale drawing of the scene from above",
        write=_write_plan,
        target=_plan_target,
        options=PlanOptions,
    )
    yield ExportKind(
        name="model",
        subject="scene",
        ending=".xml",
        types=(
            FileType("MuJoCo model", (".xml", ".mjcf")),
            FileType("ROS robot", (".urdf",)),
            FileType("Gazebo world", (".sdf",)),
        ),
        title="Model",
        help="The robot and its world for other simulators",
        write=_write_model,
        target=_model_target,
        possible=lambda scene: scene.body.jointed,
        options=ModelOptions,
    )
    yield ExportKind(
        name="report",
        subject="report",
        ending=".html",
        types=(
            FileType("CSV", (".csv",)),
            FileType("Web Page (HTML)", (".html",)),
            FileType("Document (PDF)", (".pdf",)),
            FileType("Markdown", (".md",)),
        ),
        title="Report",
        help="The result of a comparison, a fit or a check to read, or its numbers",
        write=_write_report,
        target=_report_target,
        reports_progress=True,
        options=ReportOptions,
    )
    yield ExportKind(
        name="screenshot",
        subject="view",
        ending=".png",
        types=(FileType("Image", (".png",)),),
        title="Screenshot",
        help="The viewport as an image at full quality",
        write=_write_screenshot,
        target=_screenshot_target,
        icon="camera",
    )


EXPORTS.update((kind.name, kind) for kind in _built_in())
