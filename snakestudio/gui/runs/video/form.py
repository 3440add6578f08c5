"""Form of the video dialog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from snakestudio.export.camera_path import CameraPath
from snakestudio.export.codecs import CODECS, Quality, codecs_for, usual_ending
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.gui.core import theme
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.form_fields import Choice, FormField, fields_of, form_field
from snakestudio.inputs import local_path
from snakestudio.model.columns import column_names
from snakestudio.model.recording import Recording
from snakestudio.text import capitalized
from snakestudio.viewmodel.video_presets import (
    PRESETS,
    RATES,
    SIZES,
    SPEEDS,
    VideoPreset,
    curve_offers,
)
from snakestudio.viewmodel.viewport.view_settings import rows_of

_KINDS = "Suffix: .mp4, .mkv, .webm or .mov for a video, .gif for an animation, .png for an image sequence"
_QUALITIES = (Choice("small", "Small file"), Choice("good", "Good"), Choice("best", "Best"))


@dataclass(frozen=True)
class VideoChoices:
    """Choices of the video dialog."""

    preset: VideoPreset | None = form_field(
        None,
        "P&reset",
        choices=(Choice(None, "Custom"), *(Choice(each, each.name) for each in PRESETS)),
    )
    file: str = form_field("", "Fi&le", browse_text="C&hoose...")
    size: tuple[int, int] = form_field(
        (1280, 720),
        "&Size",
        choices=[Choice((w, h), f"{w} × {h} px") for w, h in SIZES],
        stored=True,
    )
    finer: bool = form_field(
        False,
        "",
        text="A&nti-aliasing",
        place="beside",
        help="Render every frame at twice the size and average it; takes three to four times as long",
    )
    fps: int = form_field(
        30,
        "&Frames",
        choices=[Choice(rate, f"{rate} frames per second") for rate in RATES],
        stored=True,
    )
    codec: str | None = form_field(
        None, "Co&dec", choices=lambda now: _codecs(now), enabled=lambda now: bool(_codecs(now))
    )
    quality: Quality = form_field(
        "good",
        "",
        name="Quality",
        place="beside",
        choices=_QUALITIES,
        enabled=lambda now: bool(_codecs(now)),
        stored=True,
    )
    speed: float = form_field(
        1.0,
        "S&peed",
        help="Playback speed relative to simulated time; 0.5 × is slow motion",
        choices=[Choice(speed, f"{speed:g} ×") for speed in SPEEDS],
        stored=True,
    )
    begin: float = form_field(0.0, "&From", unit="s", decimals=3, step=0.1, arrows=False)
    end: float = form_field(
        0.0, "to", unit="s", decimals=3, step=0.1, arrows=False, place="beside", name="To"
    )
    camera: str = form_field("view", "Ca&mera")
    curves: tuple[str, ...] = form_field(
        (),
        "Cur&ves",
        help="Curves below the frame: choose some, or type column names separated by commas",
    )
    forces: bool = form_field(False, "Show", text="&Obstacle force arrows")
    friction: bool = form_field(False, "", text="Friction arro&ws", place="beside")
    ground: bool = form_field(
        False,
        "",
        text="&Ground force arrows",
        place="beside",
        help="Reaction and friction of the ground on the robot",
    )
    trail: bool = form_field(False, "", text="&Trail", place="below")
    stamp: bool = form_field(True, "", text="T&ime stamp", place="beside")
    ghosts: bool = form_field(False, "Other runs")
    beside: int | None = form_field(None, "Side &by side")

    @property
    def path(self) -> Path:
        """Chosen file."""
        path = local_path(self.file)
        return path if path.suffix else path.with_suffix(usual_ending())


def _codecs(choices: VideoChoices) -> list[Choice]:
    """Return the codecs available for the file type."""
    names = codecs_for(choices.path.suffix.lower())
    return [Choice(name, CODECS[name].label, capitalized(CODECS[name].note)) for name in names]


class CurvesEditor(Editor):
    """Column names of the curves below the frame, chosen from a list or typed.

    Parameters
    ----------
    recording : Recording
        Recording that contains the columns.
    """

    def __init__(self, field: FormField, parent: QWidget, recording: Recording) -> None:
        super().__init__(field, parent)
        names = column_names(recording.schema)
        self.widget: QComboBox = QComboBox(parent)
        self.widget.setEditable(True)
        self.widget.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for text, columns in curve_offers(recording.schema, names):
            self.widget.addItem(text, columns)
        completer = QCompleter(list(names), self.widget)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        popup = completer.popup()
        assert popup is not None
        popup.setProperty("role", "completion")
        self.widget.setCompleter(completer)
        self.widget.currentTextChanged.connect(self.changed)

    @property
    def value(self) -> tuple[str, ...]:
        text = self.widget.currentText()
        offered = self.widget.findText(text)
        if offered >= 0:
            return tuple(self.widget.itemData(offered))
        return tuple(part for part in text.replace(",", " ").split() if part)

    def set_value(self, value: Any) -> None:
        offered = [tuple(self.widget.itemData(row)) for row in range(self.widget.count())]
        if tuple(value) in offered:
            self.widget.setCurrentIndex(offered.index(tuple(value)))
        else:
            self.widget.setEditText(", ".join(value))


class VideoForm(DeclaredForm[VideoChoices]):
    """Form of the video dialog; for the other parameters see `VideoDialog`.

    Parameters
    ----------
    browse : callable
        Opens a file dialog.
    """

    def __init__(
        self,
        path: Path,
        recording: Recording,
        viewport: ViewportPicture,
        settings: QSettings,
        keys: CameraPath,
        companions: Sequence[Companion],
        browse: Callable[[str], str | None],
        parent: QWidget | None = None,
    ) -> None:
        self._keys = keys
        self._viewport = viewport
        self._start, self._end = map(float, recording.times[[0, -1]])
        now = viewport.settings
        choices = VideoChoices(
            file=str(path),
            begin=self._start,
            end=self._end,
            camera="keys" if len(keys.keys) > 1 else "follow" if viewport.following else "view",
            forces=now.forces,
            friction=now.friction,
            ground=now.ground_forces,
            trail=now.trail,
            ghosts=bool(companions),
        )
        fields = _fields(recording, keys, companions, browse)
        super().__init__(choices, fields, parent, settings=settings, group="video")
        self.setMinimumWidth(theme.scaled(400))
        self._show_file()
        self.set(preset=self._suitable_preset())

    # --- dependencies -----------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Chosen file."""
        return self.values.path

    def follow(self, name: str) -> None:
        if name == "file":
            self._show_file()
        preset = self.values.preset
        if name == "preset" and preset is not None:
            self._show_preset(preset)
        elif name != "preset":
            self.editors["preset"].set_value(self._suitable_preset())

    def _show_file(self) -> None:
        """Show the full path in the tooltip, because the field may be too narrow."""
        self.widget_of("file").setToolTip(f"{self.values.file}\n\n{_KINDS}")

    def _suitable_preset(self) -> VideoPreset | None:
        """Return the preset with the current values, or None."""
        return next((each for each in PRESETS if self._is(each)), None)

    def _is(self, preset: VideoPreset) -> bool:
        now = self.values
        plain = preset.suffix in (".gif", ".png") or now.quality == preset.quality
        chosen = (now.path.suffix.lower(), now.size, now.fps)
        return plain and chosen == (preset.suffix, preset.size, preset.fps)

    def apply_preset(self, preset: VideoPreset) -> None:
        """Apply the values of a preset."""
        self.set(preset=preset)
        self._show_preset(preset)

    def _show_preset(self, preset: VideoPreset) -> None:
        self.set(
            file=str(self.path.with_suffix(preset.suffix)),
            size=preset.size,
            fps=preset.fps,
            quality=preset.quality,
            finer=preset.supersample > 1,
        )
        self._show_file()

    def options(self) -> VideoOptions:
        """Return the options of the video as chosen in this form.

        Raises `UsageError` if they are invalid.
        """
        now = self.values
        width, height = now.size
        snapshot = self._viewport.snapshot
        return VideoOptions(
            width=width,
            height=height,
            fps=now.fps,
            speed=now.speed,
            start=now.begin if now.begin > self._start else None,
            end=now.end if now.end < self.widget_of("end").maximum() else None,
            camera=None if now.camera == "all" else self._viewport.camera,
            follow=now.camera == "follow",
            camera_time_s=snapshot.time if snapshot is not None else 0.0,
            path=self._keys if now.camera == "keys" else None,
            forces=now.forces,
            friction_forces=now.friction,
            ground_forces=now.ground,
            time_stamp=now.stamp,
            strip=now.curves,
            supersample=2 if now.finer else 1,
            codec=now.codec or "",
            quality=now.quality,
        )


def _fields(
    recording: Recording,
    keys: CameraPath,
    companions: Sequence[Companion],
    browse: Callable[[str], str | None],
) -> dict[str, FormField]:
    """Return the declared fields with the choices available for a recording."""
    first, last = map(float, recording.times[[0, -1]])
    cameras = [
        Choice("view", "Current view"),
        Choice("follow", "Current view, following the robot"),
        Choice("all", "Whole scene"),
    ]
    if keys.keys:
        cameras.append(Choice("keys", f"Keyframes ({len(keys.keys)})"))
    # Only what this run contains, as in the legend of the viewport.
    available = rows_of(recording.scene)
    one = companions[0].name if len(companions) == 1 else ""
    changes: dict[str, dict[str, Any]] = {
        "file": {"browse": browse},
        "begin": {"minimum": first, "maximum": last},
        "end": {"minimum": first, "maximum": last},
        "camera": {"choices": cameras},
        "curves": {"editor": lambda field, parent: CurvesEditor(field, parent, recording)},
        "forces": {"visible_if": lambda now: "forces" in available},
        "friction": {"visible_if": lambda now: "friction" in available},
        "ground": {"visible_if": lambda now: "ground_forces" in available},
        "ghosts": {
            "text": f"Ghost of {one}" if one else f"Ghosts of {len(companions)} other runs",
            "visible_if": lambda now: bool(companions),
        },
        "beside": {
            "choices": [
                Choice(None, "None"),
                *(Choice(index, each.name) for index, each in enumerate(companions)),
            ],
            "visible_if": lambda now: bool(companions),
        },
    }
    declared = fields_of(VideoChoices())
    return {name: replace(field, **changes.get(name, {})) for name, field in declared.items()}
