"""Alignment of trials with the run: time offset, estimated or set by hand, free rotation and shift, tracked links."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.analysis.experiment.experiments import Experiments, LoadedTrial
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.slider import ValueSlider
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.model.fields import FieldDoc
from snakestudio.text import MINUS

_OFFSET = FieldDoc(
    label="Time offset",
    unit="s",
    help="Time by which the capture's clock started later than that of the run",
    symbol="",
    slider=(-0.5, 0.5),
    live=True,
    minimum=-3600.0,
    maximum=3600.0,
    exclusive_minimum=False,
    default=0.0,
)
_BOUND = FieldDoc(
    label="Bound",
    unit="s",
    help="Limit of the search for the offset",
    symbol="",
    slider=(-2.0, 2.0),
    live=True,
    minimum=-3600.0,
    maximum=3600.0,
    exclusive_minimum=False,
    default=0.5,
)
_OVER = FieldDoc(
    label="Fit over the first",
    unit="s",
    help="Seconds at the start of both that are used to align position and rotation; all if empty",
    symbol="",
    slider=(0.0, 20.0),
    live=True,
    minimum=0.0,
    maximum=1e6,
    exclusive_minimum=True,
    default=None,
)
_AS_SAID = -2
"""Index for "as in the files" among the links."""

_STEP_S = 0.001


class AlignmentBox(QWidget):
    """Fields of the alignment."""

    def __init__(
        self, experiments: Experiments, document: Document, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._document = document
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.trial = narrow(ChoiceBox(self))
        self.trial.setAccessibleName("Trial")
        self.trial.setToolTip("Trial whose time offset is shown below")
        self.trial.activated.connect(experiments.choose)
        self.find_button = QPushButton("Find", self)
        self.find_button.setToolTip(
            "Estimate the offset again from the correlation of the tracks in the search range"
        )
        self.find_button.clicked.connect(experiments.find)
        column.addWidget(self.trial)

        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.message = Message(self)
        self.offset = self._number(_OFFSET)
        self.offset.set_step(_STEP_S)
        self.offset.set_usual_width(84)
        self.offset.committed.connect(lambda value, again: experiments.shift_to(value))
        self._bounds = -math.inf, math.inf
        self.slider = ValueSlider(-0.5, 0.5, _STEP_S, self)
        self._slider_place = QHBoxLayout()
        self._slider_place.addWidget(self.slider)
        grid.addWidget(self._caption("Time offset", self.offset), 0, 0)
        grid.addLayout(self._slider_place, 0, 1)
        grid.addWidget(self.offset, 0, 2)
        grid.addWidget(self._unit(), 0, 3)
        self.low, self.high = self._number(_BOUND), self._number(_BOUND)
        for field, name, which in ((self.low, "Min. offset", 0), (self.high, "Max. offset", 1)):
            field.set_usual_width(60)
            field.setAccessibleName(name)
            field.setToolTip(
                "Search range of the offset; the papers' robot starts 0.05 to 0.15 s late"
            )
            field.committed.connect(
                lambda value, again, which=which, field=field: self._bound(field, which, value)
            )
        between = QHBoxLayout()
        between.setSpacing(6)
        for widget in (self.low, self._caption("to", self.high), self.high, self._unit()):
            between.addWidget(widget)
        between.addStretch(1)
        between.addWidget(self.find_button)
        grid.addWidget(self._caption("Search range", self.low), 1, 0)
        grid.addLayout(between, 1, 1, 1, 3)
        self.link = narrow(ChoiceBox(self))
        self.link.setAccessibleName("Tracked links")
        self.link.setToolTip(
            "Links to compare: those that the measured bodies are mounted on, or one link"
        )
        self.link.activated.connect(lambda _: self._choose_link(int(self.link.currentData())))
        grid.addWidget(self._caption("Tracked links", self.link), 2, 0)
        grid.addWidget(self.link, 2, 1, 1, 3)
        column.addLayout(grid)

        self.position, self.heading = (
            QCheckBox("Align position", self),
            QCheckBox("Align rotation", self),
        )
        self.position.setToolTip(
            "Move the measured track onto the simulated one; off: keep the measured position"
        )
        self.heading.setToolTip(
            "Rotate the measured track about the vertical; off: keep the measured heading"
        )
        self.position.clicked.connect(lambda on: experiments.set_options(align_position=on))
        self.heading.clicked.connect(lambda on: experiments.set_options(align_heading=on))
        self.over = self._number(_OVER, optional=True)
        self.over.setPlaceholderText("all")
        self.over.committed.connect(lambda value, again: experiments.set_options(over_s=value))
        fit = QHBoxLayout()
        fit.setSpacing(10)
        fit.addWidget(self.position)
        fit.addWidget(self.heading)
        fit.addStretch(1)
        column.addLayout(fit)
        over = QHBoxLayout()
        over.setSpacing(8)
        over.addWidget(self._caption("Fit over the first", self.over))
        over.addWidget(self.over)
        over.addWidget(self._unit())
        over.addStretch(1)
        column.addLayout(over)
        column.addWidget(self.message)
        self.estimate, self.doubts = self._sentence("dim"), self._sentence("warning")
        column.addWidget(self.estimate)
        column.addWidget(self.doubts)

    def _number(self, doc: FieldDoc, optional: bool = False) -> NumberField:
        field = NumberField(doc, optional=optional, parent=self)
        field.set_usual_width(68)
        field.setToolTip(doc.help)
        field.problem_changed.connect(self.message.show_text)
        return field

    def _caption(self, text: str, buddy: QWidget) -> QLabel:
        label = QLabel(text, self)
        label.setBuddy(buddy)
        return label

    def _unit(self) -> QLabel:
        label = QLabel("s", self)
        label.setProperty("role", "unit")
        return label

    def _sentence(self, role: str) -> QLabel:
        label = QLabel(self)
        label.setProperty("role", role)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(theme.value_font(12, bold=False))
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    # --- showing ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Update to the trials."""
        experiments = self._experiments
        if not experiments.trials:
            return
        names = [trial.capture.name for trial in experiments.trials]
        if names != [self.trial.itemText(i) for i in range(self.trial.count())]:
            self.trial.clear()
            self.trial.addItems(names)
        self.trial.setCurrentIndex(experiments.current)
        options = experiments.options
        trial = experiments.trials[experiments.current]
        low, high = options.offset_bounds_s
        self.low.set_value(low)
        self.high.set_value(high)
        self._replace_slider(min(low, trial.offset_s), max(high, trial.offset_s))
        for widget in (self.slider, self.offset):
            widget.setEnabled(trial.alignment is not None)
        self.slider.set_value(trial.offset_s)
        self.offset.set_value(round(trial.offset_s, 4))
        self.find_button.setEnabled(experiments.possible)
        self.position.setChecked(options.align_position)
        self.heading.setChecked(options.align_heading)
        self.over.set_value(options.over_s)
        self._show_links(options.link)
        self._show_found(trial)

    def _replace_slider(self, low: float, high: float) -> None:
        """Replace the slider if its bounds changed."""
        if (low, high) == self._bounds or self.slider.isSliderDown():
            return
        self._bounds = low, high
        old = self.slider
        focused = self.slider.hasFocus()
        self.slider = ValueSlider(low, max(high, low + _STEP_S), _STEP_S, self)
        self.slider.setAccessibleName("Time offset")
        self.slider.setToolTip(
            "Drag to shift the trial in time; values update afterwards. Double-click: estimate the offset"
        )
        self.slider.moved.connect(self._on_slider)
        self.slider.reset.connect(self._experiments.find)
        self._slider_place.replaceWidget(old, self.slider)
        old.deleteLater()
        if focused:
            self.slider.setFocus()

    def _show_links(self, link: int | None) -> None:
        scene = self._document.scene
        count = scene.body.n_parts
        if self.link.count() != count + 2:
            self.link.clear()
            self.link.addItem("Links with measured bodies", _AS_SAID)
            self.link.addItem("Centre of mass", CENTRE_OF_MASS)
            for index in range(count):
                self.link.addItem(f"{scene.body.part_name} {index + 1}", index)
        self.link.setCurrentIndex(max(0, self.link.findData(_AS_SAID if link is None else link)))

    def _show_found(self, trial: LoadedTrial) -> None:
        alignment = trial.alignment
        self.estimate.setVisible(alignment is not None)
        self.doubts.setVisible(alignment is not None and bool(alignment.notes))
        if alignment is None:
            return
        how = f"{1000 * trial.shift:.1f} ms".replace("-", MINUS)
        if trial.by_hand:
            how += ", set by hand"
        elif math.isfinite(alignment.offset_std_s):
            how += f" (± {1000 * alignment.offset_std_s:.2g})"
        shift = math.hypot(*alignment.shift_m[:2].tolist())
        turn = f"{math.degrees(alignment.heading_rad):.1f}".replace("-", MINUS)
        self.estimate.setText(
            f"Correlation {alignment.correlation:.4f}. Time offset {how}. Aligned by {shift:.3g} m and {turn}°."
        )
        self.doubts.setText("\n".join(alignment.notes))

    # --- editing ----------------------------------------------------------------------------------

    def _on_slider(self, value: float) -> None:
        self._experiments.shift_to(value)
        self.offset.set_value(value)

    def _bound(self, field: NumberField, which: int, value: float) -> None:
        bounds = list(self._experiments.options.offset_bounds_s)
        bounds[which] = value
        if bounds[0] >= bounds[1]:
            field.refuse(
                f"The minimum must be below the maximum (got {bounds[0]:g} and {bounds[1]:g} s)."
            )
            return
        self._experiments.set_options(offset_bounds_s=(bounds[0], bounds[1]))

    def _choose_link(self, value: int) -> None:
        self._experiments.set_options(link=None if value == _AS_SAID else value)
