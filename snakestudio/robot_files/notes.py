"""Notes on what an import left out or approximated, those of one kind together."""

from __future__ import annotations

from snakestudio.robot_files.reading import names_text


class Notes:
    """Sentences about elements of a robot file; one that concerns many of them is written once."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[tuple[str, str]]] = {}

    def add(self, where: str, text: str, kind: str = "") -> None:
        """Note something about an element.

        Parameters
        ----------
        where : str
            The element, as the file names it; "" for the whole robot.
        text : str
            What was left out or approximated, with its value, beginning in lower case where there
            is an element.
        kind : str
            What notes that are written together have in common; the text if left out.
        """
        self._kinds.setdefault(kind or text, []).append((where, text))

    def update(self, others: Notes) -> None:
        """Add all notes of others."""
        for kind, entries in others._kinds.items():
            self._kinds.setdefault(kind, []).extend(entries)

    def sentences(self) -> tuple[str, ...]:
        """A sentence for each kind."""
        result = []
        for entries in self._kinds.values():
            names = list(dict.fromkeys(where for where, _ in entries if where))
            where, text = entries[0]
            if len(names) < 2:
                result.append(f"{where}: {text}." if where else f"{text}.")
            elif len({text for _, text in entries}) == 1:
                result.append(f"{names_text(names)}: {text}.")
            else:
                others = names[1:]
                result.append(f"{where}: {text}; similarly {names_text(others)}.")
        return tuple(result)
