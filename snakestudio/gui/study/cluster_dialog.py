"""Dialog for a running cluster: the address of its scheduler, and TLS files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLineEdit, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.settings import StoredOptions, Text
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.study.cluster import Tls, default_workers
from snakestudio.study.running import Workers

_ADDRESS = re.compile(
    r"(?:tcp|tls|ws|wss|ucx)://[^\s/:]+(?::\d{1,5})?/?|tcp://\[[0-9a-fA-F:]+\]:\d{1,5}"
)
_PEM = "PEM (*.pem *.crt *.key);;All files (*)"
_ABOUT = (
    "A running dask scheduler whose workers have this version of SnakeStudio."
    " Start a worker with 'snakestudio study worker --scheduler ADDRESS'."
)
_FILES = (("ca", "Trusted certificate"), ("certificate", "Own certificate"), ("key", "Own key"))


@dataclass(frozen=True)
class WorkerChoice:
    """Where studies are computed, as chosen last on this computer."""

    count: int = 0
    """Processes on this computer; 0 for as many as processors."""

    scheduler: str = ""
    """Address of a cluster used instead; "" for none."""

    ca: str = ""
    """File of the TLS certificate authority; "" for none."""

    certificate: str = ""
    """File of the TLS certificate; "" for none."""

    key: str = ""
    """File of its private key; "" for none."""

    @classmethod
    def restored(cls, settings: QSettings) -> WorkerChoice:
        """Return the stored choice."""
        return _CHOICE.load(settings)

    def keep(self, settings: QSettings) -> None:
        """Store the choice."""
        _CHOICE.store(settings, self)

    @property
    def workers(self) -> Workers:
        """Choice as an argument of a study run."""
        if not self.scheduler:
            return Workers(min(max(self.count, 0), 1024) or default_workers())
        tls = Tls(Path(self.ca), Path(self.certificate), Path(self.key)) if self.ca else None
        return Workers(None, self.scheduler, tls)

    def problem(self) -> str:
        """Return the reason why no cluster can be joined with this choice, as a sentence; "" if one can."""
        if not _ADDRESS.fullmatch(self.scheduler):
            return "Enter the address that the dask scheduler prints, such as tcp://host:8786."
        files = (self.ca, self.certificate, self.key)
        if self.scheduler.startswith(("tls:", "wss:")) and not any(files):
            return "A tls:// address needs the three files below."
        if any(files) and not all(files):
            return "Set all three files, or none."
        missing = next((file for file in files if file and not os.path.isfile(file)), "")
        return f"{missing} does not exist. Choose another file." if missing else ""


_CHOICE = StoredOptions(
    "study",
    WorkerChoice(),
    {
        "count": Text("Study Processes", "Processes on this computer; 0 for one per processor"),
        "scheduler": Text("Cluster", "Address of the dask scheduler; empty for none"),
        "ca": Text("Cluster Authority", "File of the TLS certificate authority"),
        "certificate": Text("Cluster Certificate", "File of the TLS certificate"),
        "key": Text("Cluster Key", "File of the private key of the certificate"),
    },
)


class ClusterDialog(Dialog):
    """Address, and three files if the connection uses TLS.

    Parameters
    ----------
    choice : WorkerChoice
        Initial content.
    """

    def __init__(self, choice: WorkerChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Compute on a Cluster", _ABOUT)
        fields = {
            "scheduler": FormField("&Address of the scheduler", placeholder="tcp://host:8786"),
            **{name: self._file(title) for name, title in _FILES},
        }
        self.form = DeclaredForm(choice, fields, self, check=_problem)
        self.form.message.setMinimumHeight(self.form.message.fontMetrics().lineSpacing())
        self.message = self.form.message
        self.address = self.form.widget("scheduler", QLineEdit)
        self.address.setMinimumWidth(theme.scaled(320))
        self.files = {name: self.form.widget(name, QLineEdit) for name, _ in _FILES}
        buttons, self.ok_button = self.make_buttons("&Use This Cluster")
        self.arrange(self.form, buttons)
        self.form.changed.connect(self._on_changed)
        self._on_changed()

    def _file(self, title: str) -> FormField:
        def browse(name: str) -> str | None:
            near = Path(name).parent if name else None
            path = ask_open(self, title, FileKind.CERTIFICATE, _PEM, near=near)
            return None if path is None else str(path)

        return FormField(f"{title} (PEM)", name=title, placeholder="none", browse=browse)

    @property
    def choice(self) -> WorkerChoice:
        """Entered choice."""
        return self.form.values

    def _on_changed(self) -> None:
        self.ok_button.setEnabled(not self.choice.problem())


def _problem(choice: WorkerChoice) -> str:
    return choice.problem() if choice.scheduler else ""
