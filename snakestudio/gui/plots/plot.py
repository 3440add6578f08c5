"""One of the plots: a chart, the choice of what it shows, and the export of what is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui import theme
from snakestudio.gui.plots.chart import Chart
from snakestudio.gui.plots.compose import compose, legend
from snakestudio.gui.plots.history import History
from snakestudio.gui.plots.overlaid import Overlay
from snakestudio.gui.plots.profile import HOLDS, compose_profile, profile_legend
from snakestudio.gui.plots.views import VIEWS, Line, View
from snakestudio.model.recording import Schema

__all__ = ["LivePlot"]


class LivePlot(QWidget):
    """Shows one view of the history.

    Parameters
    ----------
    history : History
    view : str
        Name in `VIEWS`.
    index : int
        Chosen link or joint, 0-based.

    Signals
    -------
    chosen()
        Another view, link or joint.
    """

    chosen = Signal()

    def __init__(self, history: History, view: str, index: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._name, self._index = view, index
        self._values: tuple[float, float] | None = None
        self._lines: list[Line] = []
        self._lines_for: tuple[object, ...] = ()
        self._probe: float | None = None
        self._at: tuple[float | None, int | None] = (None, None)
        self.overlays: Sequence[Overlay] = ()
        self.chart = Chart()
        self.chart.setAccessibleName("Chart")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.chart)

        # The two buttons stand over the chart's first line, which holds legend and unit too.
        self._head = QWidget(self)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(0)
        self.view_button, self.index_button = self._button(bold=True), self._button(bold=False)
        self.view_button.setToolTip("Choose what this plot shows")
        head.addWidget(self.view_button)
        head.addWidget(self.index_button)
        self._view_menu, self._index_menu = QMenu(self), QMenu(self)
        self.view_button.setMenu(self._view_menu)
        self.index_button.setMenu(self._index_menu)
        self._view_menu.aboutToShow.connect(self._fill_views)
        self._index_menu.aboutToShow.connect(self._fill_indices)
        self.chart.values_dragged.connect(self._set_values)
        self.chart.probed.connect(self._on_probed)
        self._label()

    @staticmethod
    def _button(bold: bool) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setStyleSheet(f"QToolButton {{ padding: 2px 4px; font-weight: {600 if bold else 400}; }}")
        return button

    # --- what it shows ---------------------------------------------------------------------------------------------

    @property
    def view_name(self) -> str:
        """Name of the view in `VIEWS`."""
        return self._name

    @property
    def view(self) -> View:
        """What it shows."""
        return VIEWS[self._name]

    @property
    def index(self) -> int:
        """Chosen link, joint or quantity, 0-based."""
        schema = self._schema
        if schema is None:
            return self._index
        return max(0, min(self._index, self.view.count(schema) - 1))

    @property
    def title(self) -> str:
        """Title with what is chosen."""
        chosen = self.view.choice(self._schema, self.index)
        return f"{self.view.title}, {chosen}" if self.view.chooser else self.view.title

    @property
    def instant(self) -> str:
        """Title with the time that a profile is of."""
        return self.title if self._at[0] is None else f"{self.title}, t = {self._at[0]:g} s"

    @property
    def lines(self) -> list[Line]:
        """The curves."""
        key = (self._schema, self._name, self.index, theme.current().name)
        if key != self._lines_for:
            schema = self._schema
            shown = schema is not None and self.view.possible(schema)
            self._lines = self.view.lines(schema, self.index) if shown and schema is not None else []
            self._lines_for = key
        return self._lines

    @property
    def overlaid(self) -> list[tuple[Overlay, list[Line]]]:
        """The curves of other recordings over its own."""
        return [(overlay, overlay.lines(self.view, self.index, self.lines)) for overlay in self.overlays]

    @property
    def channels(self) -> set[str]:
        """Channels it needs."""
        keys = {line.channel for lines in (self.lines, *(over for _, over in self.overlaid)) for line in lines}
        schema = self._schema
        if schema is not None and schema.n_holds and self.view.style == "profile":
            keys.add(HOLDS)
        return keys | {"control"} if schema is not None and self.view.marked in schema.extra else keys

    @property
    def _schema(self) -> Schema | None:
        return None if self._history.recording is None else self._history.recording.schema

    def choose(self, view: str, index: int | None = None) -> None:
        """Show another view, or another link or joint."""
        if (view, index) == (self._name, self._index):
            return
        self._name = view
        if index is not None:
            self._index = index
        self._values = None
        self._label()
        self.chosen.emit()

    def fit_values(self) -> None:
        """Let the left axis follow the data again."""
        self._values = None

    def _set_values(self, low: float, high: float) -> None:
        if 1e-12 < high - low < 1e12:
            self._values = low, high
            self.chosen.emit()

    def show_names(self) -> None:
        """The recording is another one: what is chosen may be called otherwise."""
        self._label()

    def _label(self) -> None:
        self.view_button.setText(f"{self.view.title} ▾")
        chooser = self.view.chooser
        self.index_button.setVisible(bool(chooser))
        self.index_button.setText(f"{self.view.choice(self._schema, self.index)} ▾")
        self.index_button.setToolTip(f"Choose the {chooser}")
        self._place()

    def _place(self) -> None:
        hint = self._head.sizeHint()
        self._head.setGeometry(40, 0, min(hint.width(), self.width() - 48), 26)
        self.chart.place_legend(40 + hint.width() + 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    # --- drawing ---------------------------------------------------------------------------------------------------

    def draw(self, start: float, stop: float, cursor: float | None, row: int | None, *, steady: bool = False) -> None:
        """Draw the stretch from start to stop (s), with the cursor at a time and its row; of a profile, that instant.

        With `steady`, axes that still serve stay as they are.
        """
        if self.view.style == "profile":
            self._draw_profile(cursor, row)
            return
        width = max(1, round(self.chart.area.width() * self.chart.devicePixelRatioF()))
        before = self.chart.picture if steady else None
        overlaid = self.overlaid
        picture = compose(self.view, self.lines, self._history, start, stop, width, self._values, before, overlaid)
        picture.cursor, picture.legend = cursor, legend(self.view, self.lines, self._history, row, overlaid)
        self.chart.show_picture(picture)

    def draw_cursor(self, cursor: float | None, row: int | None) -> None:
        """Move the cursor only; a profile is another one then."""
        if self.view.style == "profile":
            self._draw_profile(cursor, row)
            return
        self.chart.show_cursor(cursor, legend(self.view, self.lines, self._history, row, self.overlaid))

    def _draw_profile(self, cursor: float | None, row: int | None) -> None:
        self._at = cursor, row
        picture = compose_profile(self.view, self.lines, self._history, row, self._values, self.overlaid)
        picture.cursor, picture.legend = self._probe, profile_legend(picture, cursor, self._probe)
        self.chart.show_picture(picture)

    def _on_probed(self, abscissa: float | None) -> None:
        """The mouse is over a place of the profile (m), or over none."""
        if abscissa != self._probe:
            self._probe = abscissa
            self.chart.show_cursor(abscissa, profile_legend(self.chart.picture, self._at[0], abscissa))

    # --- menus -----------------------------------------------------------------------------------------------------

    def _fill_views(self) -> None:
        schema = self._schema
        self._fill(
            self._view_menu,
            [
                (view.title, name == self._name, schema is None or view.possible(schema), name)
                for name, view in VIEWS.items()
                if name == self._name or schema is None or view.suits(schema)
            ],
            lambda name: self.choose(str(name)),
        )

    def _fill_indices(self) -> None:
        schema, chooser = self._schema, self.view.chooser
        view = self.view
        count = len(view.choices) if chooser == "quantity" else 0 if schema is None else view.count(schema)

        def text(i: int) -> str:
            name = view.choice(schema, i)
            return name if chooser == "quantity" else f"{name[:1].upper()}{name[1:]}"

        self._fill(
            self._index_menu,
            [(text(i), i == self.index, True, i) for i in range(count)],
            lambda index: self.choose(self._name, int(str(index))),
        )

    def _fill(
        self, menu: QMenu, entries: list[tuple[str, bool, bool, object]], choose: Callable[[object], None]
    ) -> None:
        menu.clear()
        group = QActionGroup(menu)
        for text, checked, enabled, data in entries:
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(checked)
            action.setEnabled(enabled)
            action.setData(data)
            menu.addAction(action)
        group.triggered.connect(lambda action: choose(action.data()))
