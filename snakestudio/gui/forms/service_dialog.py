"""Dialog with settings and switch of a service for other programs, and its commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.gui.forms.lines import line_of

_WIDTH = 460
"""Width of texts, px of the design."""

C = TypeVar("C", bound=Context)


class Service(Protocol):
    """A service for other programs that can be switched on; `changed` is a signal without arguments."""

    changed: Any

    @property
    def on(self) -> bool:
        """Whether it is switched on."""
        ...

    def toggle(self) -> None:
        """Switch it off, or on with the settings used last."""
        ...

    def stop(self) -> None:
        """Switch it off."""
        ...


class ServiceDialog(Dialog):
    """Settings of a service, its status and its switch; a subclass makes the form and passes it to `finish`.

    Parameters
    ----------
    title, note : str
        See `Dialog`.
    copies, starts : str
        Texts of the buttons that copy the data for other programs, and that switch the service on.
    """

    form: DeclaredForm[Any]

    def __init__(
        self,
        service: Service,
        parent: QWidget | None,
        title: str,
        note: str,
        copies: str,
        starts: str,
    ) -> None:
        super().__init__(parent, title, note)
        self._service = service
        self._copies = copies
        self._starts = starts

    def finish(self, form: DeclaredForm[Any]) -> None:
        """Lay out all parts below the note, and start showing the status."""
        self.form = form
        self.now = QLabel(self)
        self.copy_button = QPushButton(self._copies, self)
        self.close_button = QPushButton("Close", self)
        self.switch = QPushButton(self)
        theme.set_role(self.switch, "primary")
        self.copy_button.setAutoDefault(False)
        self.close_button.setAutoDefault(False)
        self.switch.setDefault(True)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.copied()))
        self.close_button.clicked.connect(self.close)
        self.switch.clicked.connect(self._on_switch)
        buttons = line_of(self.copy_button, 1, self.close_button, self.switch)
        self.arrange(form, self.now, buttons, spacing=16, width=_WIDTH, fixed=True)
        form.changed.connect(self.refresh)
        self._service.changed.connect(self.refresh)
        self.refresh()

    def start(self) -> None:
        """Switch the service on with the present settings."""
        raise NotImplementedError

    def copied(self) -> str:
        """Return the data for other programs; "" if there are none."""
        raise NotImplementedError

    def status(self) -> str:
        """Return the status of the service while it is on."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Update status and buttons."""
        on = self._service.on
        self.form.refresh()
        self.now.setText(self.status() if on else "Off.")
        self.switch.setText("&Stop" if on else self._starts)
        self.switch.setEnabled(on or not self.form.problem)
        self.copy_button.setEnabled(bool(self.copied()))

    def while_off(self, values: object) -> bool:
        """Return whether settings can be edited: a condition for fields of the form."""
        return not self._service.on

    def _on_switch(self) -> None:
        if self._service.on:
            self._service.stop()
        elif self.form.commit():
            self.start()


def port_field(
    label: str, help: str, refusal: str = "Give a port from 1 to 65535.", **declared: Any
) -> FormField:
    """Return a field for a port number."""
    return FormField(
        label,
        help=help,
        refusal=refusal,
        integer=True,
        plain=True,
        minimum=1,
        maximum=65535,
        slider=(1, 200),
        width=80,
        **declared,
    )


def service_commands(
    service: Callable[[C], Service],
    dialog: Callable[[], Callable[[Any, QWidget], ServiceDialog]],
    switch: Command[C],
    settings: Command[C],
) -> tuple[Command[C], Command[C]]:
    """Return the commands that switch a service and show its dialog.

    Parameters
    ----------
    service : callable
        Returns the service of a window.
    dialog : callable
        Imports the class of the dialog, of which a window has one instance.
    switch, settings : Command
        Texts and icons of the commands.
    """

    def show(context: C) -> None:
        make = dialog()
        opened = next(
            (each for each in context.window.findChildren(ServiceDialog) if type(each) is make),
            None,
        )
        opened = opened or make(service(context), context.window)
        opened.show()
        opened.raise_()
        opened.activateWindow()

    return (
        replace(switch, run=lambda c: service(c).toggle(), checked=lambda c: service(c).on),
        replace(settings, run=show),
    )
