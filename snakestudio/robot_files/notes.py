"""Notes on omissions and approximations of an import, grouped by kind."""

from __future__ import annotations

from snakestudio.robot_files.reading import names_text


class Notes:
    """Sentences about elements of a robot file; a sentence about many elements is written once."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[tuple[str, str]]] = {}

    def add(self, where: str, text: str, kind: str = "") -> None:
        """Add a note about an element.

        Parameters
        ----------
        where : str
            Name of the element in the file; "" for the whole robot.
        text : str
            Omission or approximation, with its value; begins in lower case for an
            element.
        kind : str
            Key for grouping notes; the text if omitted.
        """
        self._kinds.setdefault(kind or text, []).append((where, text))

    def update(self, others: Notes) -> None:
        """Add all notes of another collection."""
        for kind, entries in others._kinds.items():
            self._kinds.setdefault(kind, []).extend(entries)

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind."""
        result = []
        for entries in self._kinds.values():
            names = list(dict.fromkeys(where for where, _ in entries if where))
            where, text = entries[0]
            if len(names) < 2:
                result.append(f"{where}: {text}." if where else f"{text}.")
            else:
                same = len({text for _, text in entries}) == 1
                others = names_text(names[1:])
                result.append(
                    f"{where}: {text}; {'the same applies to' if same else 'similarly'} {others}."
                )
        return tuple(result)
