"""What code of others left changed where it drew: matplotlib's settings, figures of pyplot, the folder it works in.

All of it is put back, and told in words: the next picture would look otherwise, and the next file would lie elsewhere.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from andante.plugins.surroundings import go_to, working_folder

_LIBRARY, _FIGURES = "matplotlib", "matplotlib._pylab_helpers"
_BACKEND, _MANY = "backend", "figure.max_open_warning"
_FREE = frozenset((_BACKEND, "backend_fallback", _MANY))
"""Settings that matplotlib itself may choose late, or that are ours meanwhile."""
_TOLD = 3
"""So many settings are named."""


@contextmanager
def put_back() -> Iterator[list[str]]:
    """Put back what the code inside leaves changed; gives a list that holds it in words afterwards.

    Figures of pyplot that others have open are out of reach meanwhile, so that nobody closes them.
    """
    left: list[str] = []
    folder, kept, figures = working_folder(), _settings(), _set_aside()
    try:
        yield left
    finally:
        if working_folder() != folder:
            go_to(folder)
            left.append("went to another folder")
        open_ = _back(figures)
        if open_:
            left.append(f"left {open_} figure{'s' * (open_ > 1)} of pyplot open, which are closed")
        changed = _restored(kept)
        if changed:
            more = f" and {len(changed) - _TOLD} more" if len(changed) > _TOLD else ""
            left.append(f"changed matplotlib's settings ({', '.join(changed[:_TOLD])}{more}), which are put back")


def _settings() -> dict[str, Any] | None:
    """matplotlib's settings; None: nobody has imported it."""
    library = sys.modules.get(_LIBRARY)
    if library is None:
        return None
    kept = dict(library.rcParams.copy())
    # How many figures there are is told anyway.
    dict.__setitem__(library.rcParams, _MANY, 0)
    return kept


def _restored(kept: dict[str, Any] | None) -> list[str]:
    """Names of settings that were changed; they are as before, or as matplotlib has them where it is new here."""
    library = sys.modules.get(_LIBRARY)
    if library is None:
        return []
    before = dict(library.rcParamsOrig) if kept is None else kept
    now = library.rcParams
    changed = sorted(name for name, value in before.items() if name not in _FREE and now[name] != value)
    dict.update(now, {name: before[name] for name in (*changed, _MANY)})
    backend = before.get(_BACKEND)
    # Where none was chosen yet, any may be.
    if kept is not None and isinstance(backend, str) and dict.get(now, _BACKEND) != backend:
        library.use(backend, force=False)
        changed.append(_BACKEND)
    return changed


def _set_aside() -> OrderedDict[int, Any] | None:
    """Figures of pyplot, of which there are none from now on; None: nobody has imported it, or this is no main thread.

    Beside the main thread another one may draw with it meanwhile.
    """
    helpers = sys.modules.get(_FIGURES)
    if helpers is None or threading.current_thread() is not threading.main_thread():
        return None
    kept: OrderedDict[int, Any] = helpers.Gcf.figs
    helpers.Gcf.figs = OrderedDict()
    return kept


def _back(kept: OrderedDict[int, Any] | None) -> int:
    """Close the figures that are open and bring back those that were; returns how many were closed."""
    helpers = sys.modules.get(_FIGURES)
    if helpers is None or (kept is None and threading.current_thread() is not threading.main_thread()):
        return 0
    count = len(helpers.Gcf.figs)
    try:
        if count:
            helpers.Gcf.destroy_all()
    finally:
        helpers.Gcf.figs = OrderedDict() if kept is None else kept
    return count
