"""Mutation tests: which small defects in a module do its tests not notice?

    python scripts/mutants.py andante.control.guard tests/control/test_guard.py [more tests] [--count 60] [--seed 0]
        [--only 17] [--first 30] [--list] [--json FILE]

Each mutant is the module with one defect: a comparison turned round or moved by its border, a number changed, plus for
minus and times for divided by, a statement left out, a condition negated. A seeded sample of all of them is taken. For
each one the tests run in a process of their own until the first that fails; a mutant for which none fails survives, and
so does nothing that hangs. Docstrings, annotations, imports and the texts of errors are left alone.

Processes are forked from one that has loaded third-party packages, so that a mutant costs little more than its tests.
Kernels run as Python where the tests pass so within the time, else they are compiled anew for each mutant, which takes
half a minute and more; --compiled does that from the start.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PRELOADED = ("numpy", "scipy.optimize", "pydantic", "mujoco", "hypothesis", "pytest", "typer", "mcap.records")
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
DROPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return, ast.Break, ast.Continue)


@dataclass(frozen=True)
class Mutant:
    """One defect."""

    line: int
    what: str
    change: Callable[[], Callable[[], None]]
    """Makes the change in the tree; gives what takes it back."""


def mutants(tree: ast.Module) -> list[Mutant]:
    """All defects that the operators make in a module, in the order of its lines."""
    found: list[Mutant] = []
    for parent in _mutable(tree):
        found += _of_expression(parent)
        for name, value in ast.iter_fields(parent):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                found += _of_body(parent, name, value)
    return sorted(found, key=lambda each: (each.line, each.what))


def _mutable(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that may be changed: all but annotations, imports, decorators, and what only words an error."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params") or isinstance(node, ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, (ast.Import, ast.ImportFrom, ast.JoinedStr)):
                yield from _mutable(child)


def _set(node: ast.AST, field: str, value: object, at: int | None = None) -> Callable[[], Callable[[], None]]:
    def change() -> Callable[[], None]:
        if at is None:
            old = getattr(node, field)
            setattr(node, field, value)
            return lambda: setattr(node, field, old)
        items = getattr(node, field)
        old = items[at]
        items[at] = value

        def back() -> None:
            items[at] = old

        return back

    return change


def _of_expression(node: ast.AST) -> list[Mutant]:
    line = getattr(node, "lineno", 0)
    text = ast.unparse(node) if line and isinstance(node, ast.expr) else ""
    found = []
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS.get(type(operator), ()):
                what = f"{type(operator).__name__} -> {other.__name__} in {text}"
                found.append(Mutant(line, what, _set(node, "ops", other(), place)))
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        other_operator = OPERATORS[type(node.op)]
        shown = text or ast.unparse(node)
        what = f"{type(node.op).__name__} -> {other_operator.__name__} in {shown}"
        found.append(Mutant(line, what, _set(node, "op", other_operator())))
    elif isinstance(node, ast.BoolOp):
        other_bool = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        found.append(Mutant(line, f"and <-> or in {text}", _set(node, "op", other_bool)))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        found.append(Mutant(line, f"{node.value} -> {not node.value}", _set(node, "value", not node.value)))
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        values = dict.fromkeys((node.value + 1, node.value * 2 if node.value else -1))
        found += [Mutant(line, f"{node.value} -> {value}", _set(node, "value", value)) for value in values]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found.append(Mutant(line, f"minus left out in {text}", _set(node, "op", ast.UAdd())))
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        negated = ast.UnaryOp(op=ast.Not(), operand=node.test)
        what = f"negated: {ast.unparse(node.test)}"
        found.append(Mutant(node.test.lineno, what, _set(node, "test", ast.copy_location(negated, node.test))))
    return found


def _of_body(parent: ast.AST, field: str, body: list[ast.stmt]) -> list[Mutant]:
    found = []
    for place, statement in enumerate(body):
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        constant = isinstance(parent, (ast.Module, ast.ClassDef))
        if isinstance(statement, DROPPED) and not docstring and not constant:
            first = ast.unparse(statement).splitlines()[0]
            passed = ast.copy_location(ast.Pass(), statement)
            found.append(Mutant(statement.lineno, f"left out: {first}", _set(parent, field, passed, place)))
    return found


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a tree."""

    def __init__(self, module: str, path: Path, tree: ast.Module) -> None:
        self.module, self.path, self.tree = module, path, tree

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module itself, and no other."""
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As usual."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Execute the changed tree."""
        exec(compile(ast.fix_missing_locations(self.tree), str(self.path), "exec"), module.__dict__)


def killed(module: str, path: Path, tree: ast.Module, tests: Sequence[str], seconds: int) -> bool:
    """Whether the tests notice; a mutant that hangs, or cannot be imported, is noticed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            sys.meta_path.insert(0, Mutated(module, path, tree))
            pytest = importlib.import_module("pytest")
            code = int(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0)


def _prepared(options: argparse.Namespace, path: Path, tree: ast.Module) -> bool:
    """Whether the tests pass without a mutant; chooses for all processes whether kernels are compiled."""
    for plain in (False,) if options.compiled else (True, False):
        # Numba reads this when a child imports it.
        os.environ["NUMBA_DISABLE_JIT"] = "1" if plain else "0"
        if not killed(options.module, path, copy.deepcopy(tree), options.tests, options.seconds):
            if not plain and not options.compiled:
                print("the kernels are compiled for each mutant", flush=True)
            return True
    return False


def main() -> int:
    """Run and print; exit code 1 where the unchanged module fails its tests."""
    parser = argparse.ArgumentParser(description="Mutation tests")
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="number of one mutant of the sample")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant of the sample, to go on with")
    parser.add_argument("--seconds", type=int, default=120, help="processor time of a mutant")
    parser.add_argument("--list", action="store_true", help="only list the sample")
    parser.add_argument("--compiled", action="store_true", help="compile kernels")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "src"))
    path = ROOT / "src" / (options.module.replace(".", "/") + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    every = mutants(tree)
    chosen = sorted(random.Random(options.seed).sample(range(len(every)), min(options.count, len(every))))
    count = len(chosen) - min(options.first, len(chosen))
    print(f"{options.module}: {len(every)} mutants, {count} taken with seed {options.seed}", flush=True)
    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not options.list and not _prepared(options, path, tree):
        print("the tests fail without any mutant")
        return 1
    survivors = []
    for number, index in enumerate(chosen):
        mutant = every[index]
        if options.only not in (None, number) or number < options.first:
            continue
        if options.list:
            print(f"{number:3d} line {mutant.line}: {mutant.what}")
            continue
        back = mutant.change()
        began = time.perf_counter()
        gone = killed(options.module, path, tree, options.tests, options.seconds)
        back()
        if not gone:
            survivors.append({"number": number, "line": mutant.line, "what": mutant.what})
            print(f"  {number:3d} survives: line {mutant.line}: {mutant.what}", flush=True)
        elif options.only is not None:
            print(f"  {number:3d} killed after {time.perf_counter() - began:.1f} s: {mutant.what}")
    if not options.list:
        print(f"{len(survivors)} of {count} survive ({100.0 * len(survivors) / max(count, 1):.0f} %)")
    if options.json is not None:
        data = {"module": options.module, "seed": options.seed, "taken": count, "survivors": survivors}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
