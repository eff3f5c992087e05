"""What pages are told of a document, encoded: how it stands, and each of its edits."""

from __future__ import annotations

import json
from typing import Any

from andante.studio.document import Applied, OpenDocument
from andante.studio.processes import Helper
from andante.studio.reading import library_json
from andante.studio.splices import applied, inverse
from andante.studio.view import edit_view, patch_view, problem_view


def history_flags(document: OpenDocument) -> dict[str, Any]:
    """What can be undone and redone, whether the document differs from its file, and what others did to that."""
    return {**document.history.view(), "changed": document.changed, "disk": document.disk}


def with_library(data: dict[str, Any], document: OpenDocument, helper: Helper) -> str:
    """A message with the document's library, which the process encodes where it is large."""
    live = document.live
    encoded = "null" if live.library is None else library_json(live.library, live.text, live.place, helper)
    return f"{json.dumps(data, allow_nan=False)[:-1]}, {json.dumps('library')}: {encoded}}}"


def edited_messages(
    document: OpenDocument, done: list[Applied], page: int | None, request: int, helper: Helper
) -> list[str]:
    """What pages are told of edits.

    Args:
        document: The document, after the edits.
        done: The edits, oldest first.
        page: Number of the page that made them; None: none did.
        request: That page's request, which the last edit answers.
        helper: Encodes a large library.
    """
    live = document.live
    # The texts before each edit, from the newest back.
    after, texts = live.text, []
    for each in reversed(done):
        after = applied(after, inverse(each.edit))
        texts.append(after)
    told = []
    for number, (each, before) in enumerate(zip(done, reversed(texts), strict=True)):
        last = number == len(done) - 1
        data: dict[str, Any] = {
            "type": "edited",
            "revision": live.revision - (len(done) - 1 - number),
            "splices": edit_view(each.edit, before),
            "page": page,
            "request": request if last else 0,
            **history_flags(document),
        }
        if last:
            data["problems"] = problem_view(live.problem)
        if each.patch is not None:
            data["patch"] = patch_view(each.patch)
        elif last:
            data["units"] = live.units.model_dump()
            told.append(with_library(data, document, helper))
            continue
        told.append(json.dumps(data, allow_nan=False))
    return told
