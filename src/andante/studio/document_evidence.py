"""Evidence for one open document: after each edit the motion is tried with some seeds, and so is the saved file.

At most two tries run at once, in processes that all documents share; an edit calls off what was not begun for the text
before. What was tried before of the same text, as after an undo, is known at once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from andante.errors import AndanteError
from andante.studio.connected_page import Jobs
from andante.studio.document import OpenDocument
from andante.studio.evidence import Trial, try_motion
from andante.studio.messages import Evidence
from andante.studio.processes import Helper
from andante.studio.view import finite

_IDLE = 0.12
"""Time without an edit after which trying begins [s]."""
_KNOWN = 120
"""Results that are kept."""
_REASON = 500
_Key = tuple[Trial, int]


class DocumentEvidence:
    """The tries of one document.

    Args:
        document: The document.
        helpers: The processes that try; each does one at a time.
        source: Gives the name or file of the robot that the document calls so; goes to the processes.
        tell: Tells all pages of the document something.
    """

    def __init__(
        self,
        document: OpenDocument,
        helpers: Sequence[Helper],
        source: Callable[[str], str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._document, self._helpers, self._source, self._tell = document, helpers, source, tell
        self._wanted: Evidence | None = None
        self._jobs = Jobs()
        self._trying: asyncio.Task[None] | None = None
        self._known: OrderedDict[_Key, dict[str, Any]] = OrderedDict()

    def want(self, message: Evidence) -> None:
        """Try this motion from now on, at once and after each edit; or nothing any more."""
        self._wanted = message if message.on else None
        self.edited()

    def edited(self) -> None:
        """Try anew, a moment after the last edit."""
        if self._trying is not None:
            self._trying.cancel()
            self._trying = None
        if self._wanted is not None:
            self._trying = self._jobs.begin(self._try(self._wanted))

    def robot_changed(self) -> None:
        """Try anew: what was tried before was of another robot."""
        self._known.clear()
        self.edited()

    def end(self) -> None:
        """Try no more."""
        self._wanted = None
        self._jobs.end()

    async def _try(self, wanted: Evidence) -> None:
        await asyncio.sleep(_IDLE)
        document = self._document
        live, revision = document.live, document.live.revision
        about = {"motion": wanted.motion, "revision": revision, "seeds": wanted.seeds}
        if live.library is None or wanted.motion not in live.library.motions:
            self._tell({"type": "evidence", **about, "state": "none", "text": ""})
            return
        self._tell({"type": "evidence", **about, "state": "trying", "text": ""})
        texts = {"now": live.text, "saved": document.saved_text}
        jobs = [(of, text, seed) for of, text in texts.items() for seed in range(wanted.seeds)]
        jobs.reverse()

        async def work(helper: Helper) -> None:
            while jobs:
                of, text, seed = jobs.pop()
                trial = Trial(text, document.name, document.own, wanted.motion, wanted.allow_fall, wanted.start)
                try:
                    found = await self._tried(helper, trial, seed)
                except AndanteError as error:
                    # What the saved file cannot do yet is no news.
                    if of == "now":
                        jobs.clear()
                        text = str(error)[:_REASON]
                        self._tell({"type": "evidence", **about, "state": "failed", "text": text})
                    else:
                        jobs[:] = [job for job in jobs if job[0] != of]
                else:
                    self._tell({"type": "trial", **about, "of": of, **found})

        await asyncio.gather(*(work(helper) for helper in self._helpers))
        self._tell({"type": "evidence", **about, "state": "done", "text": ""})

    async def _tried(self, helper: Helper, trial: Trial, seed: int) -> dict[str, Any]:
        key = trial, seed
        if key not in self._known:
            self._known[key] = finite(await helper.ask(partial(try_motion, trial, self._source, seed)))
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]
