"""Write the results of a study: one row per point (or run) as CSV or Parquet, both tables as HDF5, or a figure."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.study_options import include_implausible, study_file
from snakestudio.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study export`."""
    study_file(parser)
    parser.add_argument(
        "--csv", metavar="F", type=output, help="write a CSV (- for the standard output)"
    )
    parser.add_argument("--hdf5", metavar="F", type=output, help="write an HDF5 file, with units")
    parser.add_argument(
        "--parquet", metavar="F", type=output, help="write a Parquet file (needs pyarrow)"
    )
    parser.add_argument(
        "--runs", action="store_true", help="write one row per run instead of one per point"
    )
    parser.add_argument(
        "--figure", metavar="F", type=output, help="draw a figure: .pdf, .svg or .png"
    )
    for axis, what in (
        ("x", "value on the horizontal axis"),
        ("y", "value on the vertical axis"),
        ("colour", "value shown by colours or curves"),
    ):
        parser.add_argument(
            f"--{axis}",
            metavar="COLUMN",
            default="",
            help=f"{what} of the figure (automatic)",
        )
    parser.add_argument(
        "--beside",
        metavar="STUDY",
        type=Path,
        action="append",
        default=[],
        help="another study whose points are drawn into the figure, labelled with its title (can be repeated)",
    )
    include_implausible(parser)
    add_force_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study export`; return the exit code."""
    targets = [
        path
        for path in (options.csv, options.hdf5, options.parquet, options.figure)
        if path is not None
    ]
    if not targets:
        raise UsageError(
            "There is nothing to export. Give --csv, --hdf5, --parquet or --figure with a file name."
        )
    if options.figure is None and (options.x or options.y or options.colour or options.beside):
        raise UsageError(
            "--x, --y, --colour and --beside apply to a figure. Give --figure with a file name."
        )

    from snakestudio.study.store import store_path

    path = Path(options.study)
    read = (file for study in (path, *options.beside) for file in (study, store_path(study)))
    outputs = Outputs(options, (None, *read), *targets)

    from snakestudio.model.scene_file import parse_scene
    from snakestudio.study import export
    from snakestudio.study.figure import ComparedStudy, write_figure
    from snakestudio.study.figure_content import FigureColumns
    from snakestudio.study.running import results_of, texts_of, units_of_results

    table = results_of(path, include_implausible=options.include_implausible)
    texts = texts_of(path)
    units = units_of_results(path)
    scene = parse_scene(texts["scene"])
    written = export.units_in(table, units, scene)
    columns = export.runs_of(table) if options.runs else table
    rows = len(next(iter(columns.values())))
    if options.csv is not None:
        with outputs.target(options.csv) as file:
            export.write_csv(file, columns, texts)
        print(f"wrote {options.csv}: {rows} rows")
    if options.hdf5 is not None:
        with outputs.target(options.hdf5) as file:
            export.write_hdf5(file, table, written, texts)
        print(f"wrote {options.hdf5}: {table.n_points} points")
    if options.parquet is not None:
        with outputs.target(options.parquet) as file:
            export.write_parquet(file, columns, written, texts)
        print(f"wrote {options.parquet}: {rows} rows")
    if options.figure is not None:
        compared = [
            ComparedStudy(results.study.title or other.stem, results)
            for other in options.beside
            for results in (results_of(other, include_implausible=options.include_implausible),)
        ]
        named = FigureColumns(options.x, options.y, options.colour)
        with outputs.target(options.figure) as file:
            caption = write_figure(file, table, scene, units, texts, named, compared)
        print(f"wrote {options.figure}: {caption}")
    return 0
