"""The graph of imports, those inside functions and for type checkers included: no module comes back to itself.

The rows of the house are the import linter's.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

import grimp


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """A circle of imports, its first module once more at the end; empty without one."""
    try:
        tuple(TopologicalSorter(imports).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_through_others():
    graph = grimp.build_graph("andante", cache_dir=None)
    assert len(graph.modules) > 500
    assert circle({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}) == []


def test_a_circle_is_found_also_where_an_import_stands_in_a_function(tmp_path, monkeypatch):
    folder = tmp_path / "round_and_round"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "first.py").write_text("import round_and_round.second\n")
    (folder / "second.py").write_text("def late():\n    import round_and_round.first\n")
    monkeypatch.syspath_prepend(tmp_path)
    graph = grimp.build_graph("round_and_round", cache_dir=None)
    found = circle({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    assert set(found) == {"round_and_round.first", "round_and_round.second"}
