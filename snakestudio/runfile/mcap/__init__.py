"""Run files: one MCAP file for a run, written while it goes, read back whatever ended it."""

from snakestudio.errors import RunFileError
from snakestudio.runfile.mcap.about import Origin, RunInfo
from snakestudio.runfile.mcap.reader import RunFile, open_run, read_info

__all__ = ["Origin", "RunFile", "RunFileError", "RunInfo", "open_run", "read_info"]
