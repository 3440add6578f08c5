"""Asks for a cluster that is there already: the address of its scheduler, and files with which it is spoken to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.settings import load, save
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.number_field import Message
from snakestudio.study.cluster import Tls, default_workers
from snakestudio.study.running import Workers

__all__ = ["ClusterDialog", "WorkerChoice"]

_ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://[^\s/:]+(?::\d{1,5})?/?|tcp://\[[0-9a-fA-F:]+\]:\d{1,5}")
_GROUP = "study"
_FILES = (("ca", "Certificate to trust"), ("certificate", "Own certificate"), ("key", "Own key"))


@dataclass(frozen=True)
class WorkerChoice:
    """Who computes, as it was chosen last on this machine.

    Attributes
    ----------
    count : int
        Processes of this machine; 0 for as many as processors.
    scheduler : str
        Address of a cluster in their place; "" for none.
    ca, certificate, key : str
        Files with which it is spoken to in private; "" for none.
    """

    count: int = 0
    scheduler: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""

    @classmethod
    def kept(cls, settings: QSettings) -> WorkerChoice:
        """As it was chosen last."""
        return load(settings, _GROUP, cls())

    def keep(self, settings: QSettings) -> None:
        """Have it chosen the next time, too."""
        save(settings, _GROUP, self)

    @property
    def workers(self) -> Workers:
        """The same for who runs a study."""
        if not self.scheduler:
            return Workers(min(max(self.count, 0), 1024) or default_workers())
        tls = Tls(Path(self.ca), Path(self.certificate), Path(self.key)) if self.ca else None
        return Workers(None, self.scheduler, tls)

    def problem(self) -> str:
        """Why no cluster can be joined with this, as a sentence; "" if one can."""
        if not _ADDRESS.fullmatch(self.scheduler):
            return "Write the address as dask's scheduler tells it, like tcp://host:8786."
        files = (self.ca, self.certificate, self.key)
        if self.scheduler.startswith(("tls:", "wss:")) and not any(files):
            return "A tls:// address needs the three files below."
        if any(files) and not all(files):
            return "Give all three files, or none."
        missing = next((file for file in files if file and not Path(file).is_file()), "")
        return f"{missing}: there is no such file." if missing else ""


class ClusterDialog(Dialog):
    """Address, and three files if the cluster is spoken to by TLS.

    Parameters
    ----------
    choice : WorkerChoice
        What stands in it at first.
    """

    def __init__(self, choice: WorkerChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self.setWindowTitle("Compute on a Cluster")
        grid = QGridLayout(self)
        grid.setContentsMargins(24, 20, 24, 16)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        about = QLabel(
            "A dask scheduler that is there already, with workers that have this version of SnakeStudio:"
            " 'snakestudio study worker --scheduler ADDRESS' starts one."
        )
        about.setWordWrap(True)
        about.setProperty("role", "dim")
        grid.addWidget(about, 0, 0, 1, 3)
        self.address = QLineEdit(choice.scheduler)
        self.address.setPlaceholderText("tcp://host:8786")
        self.address.setMinimumWidth(theme.scaled(320))
        label = QLabel("&Address of the scheduler")
        label.setBuddy(self.address)
        grid.addWidget(label, 1, 0)
        grid.addWidget(self.address, 1, 1, 1, 2)
        self.files: dict[str, QLineEdit] = {}
        for line, (name, text) in enumerate(_FILES, 2):
            field = self.files[name] = QLineEdit(getattr(choice, name))
            field.setPlaceholderText("none")
            field.setAccessibleName(text)
            browse = QPushButton("Browse ...")
            browse.setAutoDefault(False)
            browse.clicked.connect(lambda _=False, field=field, text=text: self._browse(field, text))
            grid.addWidget(QLabel(f"{text} (PEM)"), line, 0)
            grid.addWidget(field, line, 1)
            grid.addWidget(browse, line, 2)
            field.textChanged.connect(self._judge)
        self.message = Message()
        self.message.setMinimumHeight(self.message.fontMetrics().lineSpacing())
        grid.addWidget(self.message, 5, 0, 1, 3)
        buttons = QDialogButtonBox()
        self.ok_button = buttons.addButton("&Use This Cluster", QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(self.ok_button, "primary")
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        grid.addWidget(buttons, 6, 0, 1, 3)
        self.address.textChanged.connect(self._judge)
        self._judge()

    @property
    def choice(self) -> WorkerChoice:
        """What was typed."""
        files = {name: field.text().strip() for name, field in self.files.items()}
        return WorkerChoice(self._choice.count, self.address.text().strip(), **files)

    def _judge(self) -> None:
        problem = self.choice.problem()
        self.ok_button.setEnabled(not problem)
        self.message.say(problem if self.address.text().strip() else "")

    def _browse(self, field: QLineEdit, title: str) -> None:
        near = Path(field.text()).parent if field.text() else None
        path = ask_open(self, title, FileKind.CERTIFICATE, "PEM (*.pem *.crt *.key);;All files (*)", near=near)
        if path is not None:
            field.setText(str(path))
