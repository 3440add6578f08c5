"""Dialog of the live stream: destination, rate and receivers."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from snakestudio.errors import UsageError
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.form_fields import Choice, FormField, Note
from snakestudio.gui.forms.listen_on import AddressEditor
from snakestudio.gui.forms.service_dialog import ServiceDialog, port_field
from snakestudio.gui.streaming.streamer import StreamChoices, Streamer
from snakestudio.text import capitalized

_ABOUT = (
    "Streams poses, joints, contacts, the scene, values and the log of what the window shows: a simulation, a robot "
    "or a recorded run. A slow receiver never delays the run."
)
_KINDS = (
    Choice("foxglove", "Foxglove, Lichtblick, PlotJuggler"),
    Choice("rerun", "Rerun viewer"),
)


class StreamDialog(ServiceDialog):
    """Settings of the stream and its switch."""

    def __init__(self, streamer: Streamer, parent: QWidget | None = None) -> None:
        super().__init__(
            streamer, parent, "Stream to Other Programs", _ABOUT, "&Copy Address", "&Start"
        )
        self._streamer = streamer
        choices = streamer.choices
        self.finish(DeclaredForm(choices, self._fields(choices), self, check=self._problem))

    def _fields(self, choices: StreamChoices) -> dict[str, FormField | Note]:
        off = self.while_off
        return {
            "kind": FormField("&Stream to", choices=_KINDS, enabled=off),
            "host": FormField(
                "Liste&n on",
                placeholder=choices.host,
                editor=AddressEditor,
                visible_if=_serves,
                enabled=off,
            ),
            "port": port_field(
                "&Port", "Port that the programs connect to", visible_if=_serves, enabled=off
            ),
            "viewer_host": FormField(
                "&Host",
                help="Name or address of the computer that runs the viewer",
                visible_if=_connects,
                enabled=off,
            ),
            "viewer_port": port_field(
                "Viewer's po&rt",
                "Port on which the viewer listens",
                visible_if=_connects,
                enabled=off,
            ),
            "rate_hz": FormField(
                "Ra&te",
                help="Samples per second",
                unit="Hz",
                plain=True,
                slider=(1, 200),
                width=80,
                refusal="The rate is not a number. Enter the number of samples per second, such as 50.",
                enabled=off,
            ),
            "caution": Note("warning", wide=True),
        }

    def _problem(self, choices: StreamChoices) -> str:
        if self._streamer.on:
            return ""
        try:
            choices.target()
        except UsageError as error:
            return str(error)
        return ""

    def start(self) -> None:
        choices = self.form.values
        self._streamer.choose(choices)
        self._streamer.start(choices.target())

    def copied(self) -> str:
        return self._streamer.address

    def status(self) -> str:
        doing = self._streamer.doing
        return f"{capitalized(doing)}." if doing else "Off."

    def refresh(self) -> None:
        super().refresh()
        open_to_others = not self._streamer.on and not self.form.problem
        self.form.show_note("caution", self.form.values.target().warning if open_to_others else "")


def _serves(choices: StreamChoices) -> bool:
    return choices.kind == "foxglove"


def _connects(choices: StreamChoices) -> bool:
    return choices.kind == "rerun"
