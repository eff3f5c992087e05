"""Random edits of two pages against a model, while every call that writes fails now and then.

What is acknowledged is in the model; what is refused is not. After a kill the text is the model's, or the model's with
the one edit that nobody was told of.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from failing_disk import FailingSystem, Killed, some_failure

from andante.errors import AndanteError
from andante.studio.disk import Disk
from andante.studio.document import OpenDocument
from andante.studio.splices import Splice, applied, inverse


@dataclass
class Found:
    """What was seen."""

    acknowledged: int = 0
    refused: int = 0
    failures: int = 0
    kills: int = 0
    saves: int = 0
    lost: int = 0
    """Acknowledged edits that were not there again."""
    returned: int = 0
    """Refused edits that were there after a kill: neither the sync nor taking the record back had worked."""
    differing: int = 0
    """Moments at which a page, the document or the file was another than the model."""
    notes: list[str] = field(default_factory=list)


class Model:
    """Texts, as pages know them by what they are told, and as the model says."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.system = FailingSystem()
        self.path = folder / "wave.yaml"
        self.disk = Disk(folder, self.system)
        self.found = Found()
        self.document = OpenDocument(self.path, "wave.yaml", disk=self.disk)
        self.text = self.saved = self.document.live.text
        self.pages = [self.text, self.text]
        self.undoable: list[str] = []
        """Texts that undoing gives, the newest last."""
        self.redoable: list[str] = []
        self.taken_back: list[str] = []
        """Texts that refused edits would have made, since the last acknowledged one."""

    def run(self, edits: int) -> Found:
        """Do so many random things."""
        for number in range(edits):
            if self.chance.random() < 0.25:
                some_failure(self.system, self.chance)
            try:
                self._something(number)
            except Killed:
                self._again()
            if self.chance.random() < 0.6:
                self.system.heal()
            self._compare()
            if self.chance.random() < 0.02:
                self._again()
        self.system.heal()
        self._again()
        self.found.failures = self.system.failed
        return self.found

    def _something(self, number: int) -> None:
        what = self.chance.random()
        try:
            if what < 0.75:
                self._edit(number)
            elif what < 0.85 and self.undoable:
                self.maybe = self.undoable[-1]
                done = self.document.undo()
                self.redoable.append(self.text)
                self._acknowledge([each.edit for each in done], self.undoable.pop())
            elif what < 0.92 and self.redoable:
                self.maybe = self.redoable[-1]
                done = self.document.redo()
                self.undoable.append(self.text)
                self._acknowledge([each.edit for each in done], self.redoable.pop())
            elif what >= 0.92:
                self.maybe = self.text
                self.document.save(overwrite=True)
                self.saved = self.text
                self.found.saves += 1
        except AndanteError:
            self.found.refused += 1
            self.taken_back.append(self.maybe)

    def _edit(self, number: int) -> None:
        page = self.chance.randrange(2)
        text = self.pages[page]
        # Comments at ends of lines, sometimes taken away again: the document stays one.
        places = [at for at, letter in enumerate(text) if letter == "\n" and at > 100]
        at = self.chance.choice(places)
        comment = text.rfind(" #", text.rfind("\n", 0, at), at)
        if comment >= 0 and self.chance.random() < 0.3:
            edit = (Splice(comment, text[comment:at], ""),)
        else:
            edit = (Splice(at, "", f" # {number} of {page}"),)
        self.maybe = applied(text, edit)
        done = self.document.edit(edit)
        self.undoable.append(self.text)
        self.redoable.clear()
        self._acknowledge([done.edit], self.maybe)

    def _acknowledge(self, edits: list[tuple[Splice, ...]], text: str) -> None:
        """All pages hear of edits; the model has them."""
        self.found.acknowledged += 1
        self.taken_back.clear()
        for page, known in enumerate(self.pages):
            for edit in edits:
                known = applied(known, edit)
            self.pages[page] = known
        self.text = text

    def _again(self) -> None:
        """The process was killed here: another one opens the file."""
        self.found.kills += 1
        self.system.heal()
        self.document._claim.release()
        self.document.journal.close()
        self.document = OpenDocument(self.path, "wave.yaml", disk=self.disk)
        text = self.document.live.text
        maybe = getattr(self, "maybe", self.text)
        self.found.returned += text != maybe and text != self.text and text in self.taken_back
        if text not in (self.text, maybe, *self.taken_back):
            self.found.lost += 1
            self.found.notes.append(f"after {self.found.acknowledged}: {self.document.remarks}")
        if self.document.remarks:
            self.found.notes.append(str(self.document.remarks))
        if text != self.text:
            # The edit of which nobody was told is there; pages that come back see it.
            self.undoable = self.redoable = []
        self.text = text
        self.taken_back.clear()
        self.pages = [text, text]
        # Steps from before the last save are no longer known to the history.
        self.undoable, self.redoable = self._steps()

    def _steps(self) -> tuple[list[str], list[str]]:
        """Texts that undoing and redoing give, by the document's own history, which recovery made."""
        history = self.document.history
        back, text = [], self.text
        for step in reversed(history._done):
            for edit in reversed(step.edits):
                text = applied(text, inverse(edit))
            back.append(text)
        forth, text = [], self.text
        for step in reversed(history._undone):
            for edit in step.edits:
                text = applied(text, edit)
            forth.append(text)
        return back[::-1], forth[::-1]

    def _compare(self) -> None:
        file = self.path.read_text()
        same = self.document.live.text == self.text and all(page == self.text for page in self.pages)
        if not same or (file != self.saved and file != self.text):
            self.found.differing += 1
            self.found.notes.append(f"differs after {self.found.acknowledged}")
        self.saved = file
