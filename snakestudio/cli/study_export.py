"""Write the results of a study: a row a point (or a run) as CSV or Parquet, or both tables as HDF5."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.study_options import study_file
from snakestudio.errors import UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study export`."""
    study_file(parser)
    parser.add_argument("--csv", metavar="F", type=output, help="write a CSV (- for the standard output)")
    parser.add_argument("--hdf5", metavar="F", type=output, help="write an HDF5 file, with units")
    parser.add_argument("--parquet", metavar="F", type=output, help="write a Parquet file (needs pyarrow)")
    parser.add_argument("--runs", action="store_true", help="a row for every run, in place of every point")
    add_force_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio study export`."""
    wanted = [path for path in (options.csv, options.hdf5, options.parquet) if path is not None]
    if not wanted:
        raise UsageError("export what? Give --csv, --hdf5 or --parquet with a file name.")
    outputs = Outputs(options, (options.study,), *wanted)

    from snakestudio.study import export
    from snakestudio.study.running import results_of, texts_of, units_of_results

    path = Path(options.study)
    table, texts, units = results_of(path), texts_of(path), units_of_results(path)
    columns = export.runs_of(table) if options.runs else table
    rows = len(next(iter(columns.values())))
    if options.csv is not None:
        with outputs.place(options.csv) as file:
            export.write_csv(file, columns, texts)
        print(f"wrote {options.csv}: {rows} rows")
    if options.hdf5 is not None:
        with outputs.place(options.hdf5) as file:
            export.write_hdf5(file, table, units, texts)
        print(f"wrote {options.hdf5}: {table.n_points} points")
    if options.parquet is not None:
        with outputs.place(options.parquet) as file:
            export.write_parquet(file, columns, export.units_in(table, units), texts)
        print(f"wrote {options.parquet}: {rows} rows")
    return 0
