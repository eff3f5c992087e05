"""Message types of DDS, made when they are first needed: cyclonedds is an extra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace, new_class
from typing import Any

from andante.backends.hardware.extras import package


def struct_maker(module: str, extra: str, purpose: str) -> tuple[SimpleNamespace, Callable[..., None], Any]:
    """What makes final structs: where they are put, the function ``message(name, **fields)``, cyclonedds' types.

    A field is a type with its default, or with a function that makes it.

    Args:
        module: Module of the types' names on the wire, such as ``unitree_go.msg.dds_``.
        extra: The extra that installs cyclonedds.
        purpose: What it is needed for, for the message where it is missing.

    Raises:
        BackendError: cyclonedds is not installed.
    """
    idl = package("cyclonedds.idl", extra, purpose)
    marks = package("cyclonedds.idl.annotations", extra, purpose)
    types = package("cyclonedds.idl.types", extra, purpose)
    made = SimpleNamespace()

    def message(name: str, **fields: Any) -> None:
        pairs = {each: kind if isinstance(kind, tuple) else (kind, kind) for each, kind in fields.items()}

        def body(space: dict[str, Any]) -> None:
            space["__annotations__"] = {each: kind for each, (kind, _) in pairs.items()}
            space["__module__"] = __name__
            for each, (_, default) in pairs.items():
                space[each] = field(default_factory=default) if callable(default) else default

        kind: Any = new_class(name, (idl.IdlStruct,), {"typename": f"{module}.{name}_"}, body)
        setattr(made, name, dataclass(marks.final(marks.autoid("sequential")(kind))))

    return made, message, types
