"""Run files: one MCAP file per run, written during the run, readable after any kind of end."""

from snakestudio.errors import RunFileError
from snakestudio.runfile.mcap.about import Origin, RunInfo
from snakestudio.runfile.mcap.reader import RunFile, open_run, read_info

__all__ = ["Origin", "RunFile", "RunFileError", "RunInfo", "open_run", "read_info"]
