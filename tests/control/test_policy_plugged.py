"""A policy format of others: numbers of numpy and paths are facts, and what is none is told by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_policy import contract_of, save_network

import andante
from andante.control.policies.files import load_policy
from andante.control.policies.readers.register import POLICY_FORMATS
from andante.extend import PolicyFormat

HEAD = "format: andante.policy\nversion: 1\nname: tiny\nreads: {format: of-a-lab, file: lab.txt}\n"


@pytest.fixture
def found(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What the reader of a lab finds; empty at the beginning."""
    facts: dict[str, Any] = {}
    andante.register("policy_formats", "of-a-lab", PolicyFormat("a lab", lambda file, network: facts.get("all", facts)))
    (tmp_path / "lab.txt").write_text("lab")
    (tmp_path / "tiny.yaml").write_text(HEAD)
    yield facts
    POLICY_FORMATS.unregister("of-a-lab")


def test_numbers_of_numpy_and_paths_are_facts(tmp_path: Path, found: dict[str, Any]) -> None:
    network = save_network(tmp_path / "tiny.onnx")
    full = contract_of(network, "")
    found |= {key: full[key] for key in ("robot", "joints", "default_posture")}
    found |= {"rate": np.float32(50), "kp": np.full(12, 60.0), "model": Path("tiny.onnx"), "assumed": ("kp: guessed",)}
    read = load_policy(tmp_path / "tiny.yaml")
    assert (read.contract.rate, read.contract.kp) == (50.0, (60.0,) * 12)
    assert Path(read.contract.model) == network
    assert "kp: guessed" in read.contract.assumed


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"all": None}, "it gives a NoneType in place of facts by name"),
        ({"kp": {60.0}}, "its fact 'kp' is a set"),
        ({"assumed": "kp"}, "what it assumed is a str, no list of texts"),
    ],
)
def test_what_is_no_fact_is_the_reader_s_fault(tmp_path: Path, found: dict[str, Any], facts: Any, says: str) -> None:
    found |= facts
    with pytest.raises(andante.AndanteError, match=f"its format of policies 'of-a-lab' failed: TypeError: {says}"):
        load_policy(tmp_path / "tiny.yaml")
