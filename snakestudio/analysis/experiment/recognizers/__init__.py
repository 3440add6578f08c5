"""Recognition of tables of measured tracks: one recognizer for each file type, which checks its header."""

from __future__ import annotations

from snakestudio.analysis.experiment.recognizers.motive import recognize_motive
from snakestudio.analysis.experiment.recognizers.qualisys import recognize_qualisys
from snakestudio.analysis.experiment.recognizers.reading import Reading
from snakestudio.analysis.experiment.recognizers.table import recognize_table
from snakestudio.analysis.experiment.recognizers.trajectory import recognize_trajectory
from snakestudio.analysis.experiment.recognizers.vicon import recognize_vicon

__all__ = ["Reading", "recognize"]


def recognize(lines: list[str]) -> Reading:
    """Recognize a table given as lines with the first recognizer that accepts it."""
    for recognizer in (recognize_motive, recognize_qualisys, recognize_vicon, recognize_trajectory):
        reading = recognizer(lines)
        if reading is not None:
            return reading
    return recognize_table(lines)
