"""From a document to a complete contract: facts of another format's file, what the document says beside, the digest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from andante.control.policies.binding import joints_digest
from andante.control.policies.contract import PolicyContract, PolicyError, Tensor, refuse_missing
from andante.control.policies.given import refuse_network, refuse_trainers_file
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.own_metadata import refuse_other_metadata
from andante.control.policies.patterns import resolved
from andante.documents.reader import load_document
from andante.documents.validation import first_problem
from andante.documents.writer import save_document
from andante.errors import AndanteError, shorten
from andante.plugins.answers import plain_data
from andante.plugins.register import SHIPPED
from andante.robots.robot import Robot

if TYPE_CHECKING:
    from andante.control.policies.readers.register import PolicyFormat

_NO_FACTS = frozenset({"format", "version", "name", "reads", "assumed", "note", "requires"})


@dataclass(frozen=True, eq=False)
class PolicyFile:
    """A policy as its files say it."""

    path: Path
    """The document."""
    contract: PolicyContract
    """All that is known, complete or not."""
    network: PolicyNetwork
    """Its network."""


def load_policy(path: Path | str) -> PolicyFile:
    """Read a policy: its contract's document, files of another format that it names, and its network.

    Raises:
        PolicyError: Facts contradict each other, no network is named, the network cannot be used, or the file is a
            network or what a trainer left.
        AndanteError: A file cannot be read, or the document is none.
    """
    path = Path(path)
    refuse_network(path)
    try:
        said = load_document(path, PolicyContract)
    except AndanteError as error:
        refuse_trainers_file(path, error)
        raise
    return policy_of(said, path)


def policy_of(said: PolicyContract, path: Path) -> PolicyFile:
    """The same of a document that is not written yet.

    Args:
        said: What the document says.
        path: Where it will stand.

    Raises:
        PolicyError: As `load_policy`.
        AndanteError: A file cannot be read.
    """
    contract, model = said, None if said.model is None else path.parent / said.model
    if said.reads is not None:
        from andante.control.policies.readers.register import POLICY_FORMATS

        reader, file = POLICY_FORMATS[said.reads.format], path.parent / said.reads.file
        own = None if said.reads.model is None else path.parent / said.reads.model
        with POLICY_FORMATS.blame(said.reads.format):
            found = _read(reader, file, own)
            if POLICY_FORMATS.source(said.reads.format) != SHIPPED:
                found = _plain_facts(found, file.parent)
        contract = joined(said, found, said.reads.format, str(path))
        model = Path(contract.model) if contract.model else None
    if model is None:
        refuse_missing(contract, str(path))
        raise PolicyError("the contract does not say model", place=str(path))
    network = PolicyNetwork(model, contract.sha256)
    contract = resolved(contract, str(path))
    refuse_other_metadata(contract, network, str(path))
    if said.reads is not None:
        contract = measured(contract, network)
    return PolicyFile(path, contract.model_copy(update={"model": str(model)}), network)


def contradictions(file: PolicyFile) -> list[str]:
    """Facts of a contract that cannot be: tensors that the network has otherwise, and joints that stand twice."""
    contract, told = file.contract, list[str]()
    for what, said, found in (
        ("inputs", contract.inputs, file.network.inputs),
        ("outputs", contract.outputs, file.network.outputs),
    ):
        named = tuple((tensor.name, tensor.size) for tensor in said or ())
        # A network may have outputs that nobody needs, and either may stand in another order.
        if said is not None and (not set(named) <= set(found) or (what == "inputs" and len(named) != len(found))):
            texts = (", ".join(f"{name} ({size})" for name, size in each) for each in (named, found))
            told.append("{} are {}, the network has {}".format(what, *texts))
    joints = contract.joints or ()
    twice = sorted({name for name in joints if joints.count(name) > 1})
    if twice:
        told.append(f"joints name {', '.join(twice)} more than once")
    return told


def joined(said: PolicyContract, found: dict[str, Any], name: str, place: str) -> PolicyContract:
    """What a document says beside the facts of a file of another format, each told as assumed.

    What the format's reader itself only assumes, as gains that nobody published, the document may say otherwise.

    Raises:
        PolicyError: The document says otherwise than the file.
    """
    values = said.model_dump(exclude_unset=True)
    guesses = tuple(_named(line) for line in found.get("assumed", ()))
    free = frozenset(fact for facts, _ in guesses for fact in facts)
    given = {key: value for key, value in values.items() if key not in _NO_FACTS}
    data, assumed = _merge(found, given, name, place, free)
    left = (([fact for fact in facts if fact not in assumed], why) for facts, why in guesses)
    told = [
        *said.assumed,
        *(f"{', '.join(facts)}:{why}" for facts, why in left if facts),
        *(f"{fact}: said by the document, not by {name}" for fact in assumed),
    ]
    data.pop("assumed", None)
    kept = {key: values[key] for key in _NO_FACTS if key in values}
    try:
        return PolicyContract.model_validate(data | kept | {"assumed": tuple(told)})
    except ValidationError as error:
        problem = first_problem(PolicyError, error, PolicyContract, "")
        raise PolicyError(
            f"the {name} file says what no contract may say: {problem.what}",
            place=f"{place}: {problem.place}",
            value=problem.value,
            limit=problem.limit,
            legal=problem.legal,
        ) from None


def _read(reader: PolicyFormat, file: Path, model: Path | None) -> dict[str, Any]:
    """What a reader finds; a file of another shape than it expects is told as such.

    Raises:
        PolicyError: The file is not understood.
        AndanteError: It cannot be read.
    """
    try:
        facts = reader.read(file, model)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        what = f"the file is not understood: {type(error).__name__}: {shorten(str(error))}"
        raise PolicyError(what, place=str(file), limit=reader.what) from error
    return facts if model is None else facts | {"model": str(model)}


def _plain_facts(found: object, folder: Path) -> dict[str, Any]:
    """Facts that a reader of others finds, as plain data; a relative path of the network is seen from ``folder``.

    Raises:
        TypeError: They are no plain data by name.
    """
    if not isinstance(found, Mapping):
        raise TypeError(f"it gives a {type(found).__name__} in place of facts by name")
    paths = {key: str(value) if isinstance(value, Path) else value for key, value in found.items()}
    facts: dict[str, Any] = plain_data(paths, finite=False, what="fact")
    if not isinstance(facts.get("assumed", []), list):
        raise TypeError(f"what it assumed is a {type(facts['assumed']).__name__}, no list of texts")
    if isinstance(facts.get("model"), str):
        facts["model"] = str(folder / facts["model"])
    return facts


def measured(contract: PolicyContract, network: PolicyNetwork) -> PolicyContract:
    """The same with what the network itself tells, where nobody says it: its digest, its inputs and outputs."""
    facts: dict[str, Any] = {}
    if contract.sha256 is None:
        facts["sha256"] = network.sha256
    if contract.inputs is None:
        outputs = dict(network.outputs)
        # What rsl_rl and others call the memory of an LSTM or a GRU.
        pairs = {name: name.replace("_in", "_out") for name in ("h_in", "c_in", "hidden_in", "cell_in")}
        facts["inputs"] = tuple(
            Tensor(name=name, size=size, state=pairs[name] if pairs.get(name) in outputs else None)
            for name, size in network.inputs
        )
    if contract.outputs is None:
        given = contract.inputs or facts.get("inputs", ())
        states = {tensor.state for tensor in given}
        actions = [name for name, _ in network.outputs if name not in states]
        called = [name for name in actions if name in ("action", "actions")]
        # Of a mean and a deviation, or a value beside, nobody but the document says which is the action.
        if len(actions) == 1 or called:
            first = (called or actions)[0]
            told = sorted(network.outputs, key=lambda output: output[0] != first)
            facts["outputs"] = tuple(Tensor(name=name, size=size) for name, size in told)
    assumed = tuple(f"{name}: as the network's file has it" for name in facts)
    return contract.model_copy(update=facts | {"assumed": contract.assumed + assumed})


def _named(line: str) -> tuple[list[str], str]:
    """The facts that a line of what is assumed names, and what it says of them."""
    facts, _, why = line.partition(":")
    return [fact.strip() for fact in facts.split(",")], why


def _merge(
    found: dict[str, Any], said: dict[str, Any], name: str, place: str, free: frozenset[str], above: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Both, and the names of the facts that only the document says, or says in place of one that is ``free``."""
    data, assumed = dict(found), []
    for key, value in said.items():
        where = f"{above}{key}"
        known = found.get(key)
        if value is None:
            continue
        if known is None:
            data[key] = value
            assumed.append(where)
        elif isinstance(known, dict) and isinstance(value, dict):
            inner = free | {f"{where}.{each}" for each in known} if where in free else free
            data[key], more = _merge(known, value, name, place, inner, f"{where}.")
            assumed += more
        elif _parts(known) and _parts(value) and len(known) == len(value):
            merged = [
                _merge(a, b, name, place, free, f"{where}[{i}].")
                for i, (a, b) in enumerate(zip(known, value, strict=True))
            ]
            data[key] = tuple(each for each, _ in merged)
            assumed += [fact for _, more in merged for fact in more]
        elif plain(known) != plain(value):
            if where not in free:
                raise PolicyError(
                    f"the document says otherwise than its {name} file",
                    place=f"{place}: {where}",
                    value=value,
                    limit=f"{known!r}",
                    remedy="leave it out, or mend the file",
                )
            data[key] = value
            assumed.append(where)
    return data, assumed


def _parts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(each, dict) for each in value)


def plain(value: Any) -> Any:
    """Lists as tuples and numbers as floating point, to compare."""
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def written(file: PolicyFile, path: Path, robot: Robot | None = None) -> None:
    """Write the whole contract into a file, from where its network is found.

    Args:
        file: The policy.
        path: Where it is written.
        robot: Its robot, to vouch for names, limits and order of the joints; None: nobody does.

    Raises:
        UnknownJointError: The robot lacks one of the joints.
        DocumentError: The file cannot be written.
    """
    model = os.path.relpath(file.network.path.resolve(), path.resolve().parent)
    contract = file.contract.model_copy(update={"model": model, "reads": None, "sha256": file.network.sha256})
    if robot is not None and contract.joints is not None:
        contract = contract.model_copy(update={"joints_digest": joints_digest(robot, contract.joints)})
    save_document(contract, path)
