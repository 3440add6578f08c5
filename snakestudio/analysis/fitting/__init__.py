"""Fitting of scene values that cannot be measured directly, so that the run matches measured ones."""

from snakestudio.analysis.fitting.fit import METHODS, fit
from snakestudio.analysis.fitting.parameters import (
    OFFSET_BOUNDS_S,
    PRESETS,
    FreeParameter,
    free_parameter,
    offset_bounds,
    parse_free,
    present_value,
    preset_of,
    value_doc,
)
from snakestudio.analysis.fitting.pictured import FitPlotData, pictured
from snakestudio.analysis.fitting.result import FitProgress, FitResult, Moment, TrialOutcome
from snakestudio.analysis.fitting.tracks import JointTrack, Track, Trial, trial_of

__all__ = [
    "METHODS",
    "OFFSET_BOUNDS_S",
    "PRESETS",
    "FitPlotData",
    "FitProgress",
    "FitResult",
    "FreeParameter",
    "JointTrack",
    "Moment",
    "Track",
    "Trial",
    "TrialOutcome",
    "fit",
    "free_parameter",
    "offset_bounds",
    "parse_free",
    "pictured",
    "present_value",
    "preset_of",
    "trial_of",
    "value_doc",
]
