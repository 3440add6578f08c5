"""Format of run files: version, names and size limits.

A run file is a standard MCAP file (https://mcap.dev/spec), which Foxglove, PlotJuggler, Rerun and the
tools of ROS 2 can read directly. In the order of the file:

- a metadata record `ABOUT`: the whole scene, program, computer, columns; all that a list of runs
  reads;
- attachments named `FILE`: the files of the scene, such as height maps (`enclosed`);
- chunks with one message of `ROWS` each: some rows of the run, every column exact to the bit
  (`blocks`). They are all that SnakeStudio needs to read the run again;
- chunks with messages for other programs, one of each topic for every row (`views`);
- chunks with changes and events (`notes`);
- attachments named `CHECKPOINT`: states from which the run can continue, opaque here;
- once the run has ended, an attachment `INDEX` (`index`), a metadata record `END`, and the summary
  of MCAP.

A file without its end is read by walking over its records; all complete records are used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 2
"""Readers reject files with a larger version; it is raised when an older reader would misread a newer
file."""

PACKAGE = "snakestudio_msgs"
"""ROS 2 package name of our message types."""

ABOUT = "snakestudio"
END = "snakestudio:end"
"""Metadata records at the start and, for a completed run, at the end."""

CHECKPOINT = "snakestudio:checkpoint"
INDEX = "snakestudio:index"
"""Attachments: states to continue from, and the index of the file."""

FILE = "snakestudio:file"
"""Attachments with the files of the scene; followed by the name of the file."""

ROWS = "/snakestudio/rows"
CHANGES = "/snakestudio/changes"
EVENTS = "/snakestudio/events"
LOG = "/events"
"""Topics from which the run is read, and the topic of events for other programs."""

BLOCK_ROWS = 512
"""Rows in a full block: two megabytes for a typical robot, which fits in the processor cache."""

MOST_BLOCK_ROWS = 1024
"""Largest number of rows per block in any version."""

BLOCK_BYTES = 32 * 1024 * 1024
"""Largest size of a block; robots with very many links have fewer rows per block."""

MAX_BLOCK_BYTES = 160 * 1024 * 1024
"""Larger blocks count as damaged and are rejected before memory is allocated."""

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""Size limit of other records."""

MAX_INDEX_BYTES = 256 * 1024 * 1024
"""Size limit of the index, which grows with the rows: enough for thirty million."""


def nanoseconds(time: NDArray[np.float64]) -> NDArray[Any]:
    """Convert simulated times (s) to the unsigned nanoseconds of MCAP."""
    rounded: NDArray[Any] = np.rint(np.maximum(time, 0.0) * 1e9).astype(np.uint64)
    return rounded
