"""What a page asks of an experiment: from typed texts to the options of its suite, and what would be run."""

from __future__ import annotations

import contextlib
import shlex
import types
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from andante.documents.budget import budgeted
from andante.documents.descriptions import descriptions
from andante.documents.fields import alternatives
from andante.documents.files import read_text
from andante.search.errors import SearchError
from andante.search.experiment.registry import EXPERIMENTS, FOLDER, SHIPPED, experiment_named
from andante.search.suite import Case, Options, Positional, Suite, read_options
from andante.search.suites.registry import SUITES, load_suite

COMMON = ("values", "seeds", "first_seed", "page")
"""Options of every experiment, which a page asks for by fields of their own."""
MOST_TRIALS = 100_000
"""Most trials of one run."""
_SHOWN = 200
"""Cells that are told before a run."""


@dataclass(frozen=True)
class ExperimentOrder:
    """What is to be run."""

    experiment: str
    """Name of the experiment, or its file seen from the workspace."""
    given: Mapping[str, Any]
    """Values of its options by name, as a page has typed them."""
    page: bool = False
    """Also write a page with film strips."""

    def suite(self) -> Suite[Any, Any, Any]:
        """The suite, with the workspace as the working folder.

        Raises:
            AndanteError: There is no such experiment, or it cannot be read.
        """
        return load_suite(self.experiment)

    def options(self, suite: Suite[Any, Any, Any], page: Path | None = None) -> Options:
        """The options of the suite.

        Raises:
            SearchError: One of them is not legal.
        """
        more: dict[str, Any] = {} if page is None or "page" not in suite.options.model_fields else {"page": page}
        found: Options = read_options(suite.options, typed(suite, self.given) | more)
        return found

    def command(self, out: str) -> str:
        """The command that does the same in the terminal, in the workspace's folder."""
        suite = self.suite()
        words, behind = ["andante", "bench", self.experiment], list[str]()
        for name, value in typed(suite, self.given).items():
            field = suite.options.model_fields[name]
            flag = "--" + (field.alias or name).replace("_", "-")
            if any(isinstance(each, Positional) for each in field.metadata):
                words.append(str(value))
            elif isinstance(value, bool):
                behind += [flag] if value else [f"--no-{flag[2:]}"]
            elif isinstance(value, tuple) and kind_of(field.annotation) == "pair":
                behind += [flag, *map(str, value)]
            elif isinstance(value, tuple):
                behind += [word for each in value for word in (flag, str(each))]
            else:
                behind += [flag, str(value)]
        if self.page:
            behind += ["--page", str(Path(out).with_name("page.html"))]
        return shlex.join([*words, *behind, "--out", out])


def typed(suite: Suite[Any, Any, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for the options of a suite; what is empty is left out.

    Raises:
        SearchError: It has no such option, or a text is none of its kind.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in suite.options.model_fields:
            legal = tuple(suite.options.model_fields)
            raise SearchError("no such option of this experiment", place=suite.name, value=name, legal=legal)
        if value in (None, "", (), []):
            continue
        kind = kind_of(suite.options.model_fields[name].annotation)
        flag = "--" + name.replace("_", "-")
        if kind == "texts" and isinstance(value, str):
            value = tuple(part.strip() for part in value.split(",") if part.strip())
        elif kind == "texts":
            value = tuple(value)
        elif kind == "pair" and isinstance(value, str):
            value = tuple(value.replace(",", " ").split())
            if len(value) != 2:
                raise SearchError("give two numbers", place=flag, value=given[name])
        elif kind == "switch" and isinstance(value, str):
            if value not in ("true", "false"):
                raise SearchError("is a switch", place=flag, value=value, legal=("true", "false"))
            value = value == "true"
        found[name] = value
    return found


def kind_of(annotation: Any) -> str:
    """What an option takes: text, texts, pair, switch, whole or number."""
    kind = next(each for each in alternatives(annotation) if each is not types.NoneType)
    if get_origin(kind) is tuple:
        return "texts" if get_args(kind)[-1] is ... else "pair"
    known: Mapping[Any, str] = {bool: "switch", int: "whole", float: "number"}
    return known.get(kind, "text")


def look_at(experiment: str, workspace: Path) -> dict[str, Any]:
    """What a page is shown of an experiment before it runs, plain data.

    Raises:
        AndanteError: There is no such experiment, or it cannot be read.
    """
    with contextlib.chdir(workspace):
        suite = load_suite(experiment)
        model: type[Options] = suite.options
        texts = descriptions(model)
        document = None if experiment in SUITES else experiment_named(experiment)
        fields = suite.options.model_fields
        options = [
            {
                "name": name,
                "kind": kind_of(field.annotation),
                "help": texts.get(name, "").strip(),
                "usual": _shown(None if field.is_required() else field.get_default()),
                "required": field.is_required(),
                "legal": _legal(document, name),
            }
            for name, field in fields.items()
            if name not in COMMON and not field.exclude
        ]
        usual = {name: fields[name].get_default() for name in ("seeds", "first_seed") if name in fields}
        return {
            "experiment": experiment,
            "name": suite.name,
            "what": SUITES[experiment] if document is None else document.what,
            "note": "" if document is None else document.note,
            "text": _text(experiment),
            "options": options,
            "seeds": usual.get("seeds"),
            "first_seed": usual.get("first_seed"),
            "values": "values" in fields,
            "page": "page" in fields,
        }


def checked(order: ExperimentOrder, workspace: Path) -> dict[str, Any]:
    """What would be run, plain data.

    Raises:
        AndanteError: It cannot be run as asked.
    """
    with contextlib.chdir(workspace):
        suite = order.suite()
        options = order.options(suite)
        if lines := suite.listing(options):
            raise SearchError("this asks for a list and runs nothing", value="; ".join(lines)[:1500])
        cases = cases_of(suite, options)
        cells = Counter(case.group for case in cases)
        return {
            "cells": [{"name": name, "trials": count} for name, count in list(cells.items())[:_SHOWN]],
            "cell_count": len(cells),
            "trials": len(cases),
            "asked": _asked(suite.experiments(options)),
            "command": order.command("result.json"),
        }


def cases_of(suite: Suite[Any, Any, Any], options: Options) -> Sequence[Case[Any]]:
    """The trials.

    Raises:
        AndanteError: They cannot be run, or are too many.
    """
    cases = suite.cases(options)
    if len(cases) > MOST_TRIALS:
        raise SearchError("are too many trials for the studio", value=len(cases), limit=f"{MOST_TRIALS}")
    return cases


def _asked(parts: Sequence[Any]) -> list[str]:
    """The figures that have a bar, in words."""
    found = [
        f"{name} {each.bar} {each.convert or each.unit}".strip()
        for part in parts
        for name, each in part.figures.items()
        if each.bar
    ]
    return list(dict.fromkeys(found))


def _legal(document: Any, name: str) -> list[str]:
    """Labels among which an option chooses; none: it is free."""
    option = None if document is None else document.options.get(name)
    if name == "table" and document is not None:
        return list(document.tables)
    return [] if option is None or option.chooses is None else list(document.axes[option.chooses].variants)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


@budgeted(place="experiment")
def _text(experiment: str) -> str:
    """The document; empty where there is none that could be read."""
    if experiment in SHIPPED:
        return read_text(FOLDER / f"{experiment}.yaml")
    return "" if experiment in SUITES or experiment in EXPERIMENTS else read_text(Path(experiment))
