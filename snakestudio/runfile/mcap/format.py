"""What a run file is: its version, the names in it, and how large anything in it may be.

A run file is an MCAP file (https://mcap.dev/spec) like any other, so that Foxglove, PlotJuggler,
Rerun and the tools of ROS 2 read it as it is. In the order of the file:

- a metadata record `ABOUT`: the whole scene, program, machine, columns; read first, and alone, by a
  list of runs;
- attachments named `FILE`: the files that the scene names, such as height maps (`enclosed`);
- chunks with one message of `ROWS` each: some rows of the run, every column exact to the bit
  (`blocks`). They are all that SnakeStudio needs to read the run again;
- chunks with what other programs show without conversion, thinned out (`views`);
- chunks with changes and events (`notes`);
- attachments named `CHECKPOINT`: states from which the run can go on, opaque here;
- once the run has ended, an attachment `INDEX` (`index`), a metadata record `END`, and the summary
  of MCAP.

A file without its end is read by walking over its records; whatever was written whole counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 2
"""Readers refuse files with a larger one; it rises when an older reader would misread a newer
file."""

PACKAGE = "snakestudio_msgs"
"""Package that the types of own messages belong to, as ROS 2 names them."""

ABOUT = "snakestudio"
END = "snakestudio:end"
"""Metadata records at the beginning and, of a run that has ended, at the end."""

CHECKPOINT = "snakestudio:checkpoint"
INDEX = "snakestudio:index"
"""Attachments: states to go on from, and where in the file everything is."""

FILE = "snakestudio:file"
"""Attachments with the files that the scene names; the name of each stands behind that."""

ROWS = "/snakestudio/rows"
CHANGES = "/snakestudio/changes"
EVENTS = "/snakestudio/events"
LOG = "/events"
"""Topics that the run is read from, and that of the events as other programs list them."""

BLOCK_ROWS = 512
"""Rows of a full block: two megabytes for an ordinary robot, which fit in the cache of a
processor."""

MOST_BLOCK_ROWS = 1024
"""Rows of the fullest blocks that any version wrote."""

BLOCK_BYTES = 32 * 1024 * 1024
"""A block of a robot with very many links has fewer rows, so that it stays below this."""

MAX_BLOCK_BYTES = 160 * 1024 * 1024
"""Larger blocks are taken for damage and refused before there is memory asked for them."""

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""The same of other records."""

MAX_INDEX_BYTES = 256 * 1024 * 1024
"""The same of the index, which grows with the rows: thirty million of them."""


def nanoseconds(time: NDArray[np.float64]) -> NDArray[Any]:
    """Simulated times (s) as MCAP counts them: unsigned nanoseconds."""
    whole: NDArray[Any] = np.rint(np.maximum(time, 0.0) * 1e9).astype(np.uint64)
    return whole
