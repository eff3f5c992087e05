"""What numba makes of `andante.kernels.held`: arrays at addresses, without looking at any object of Python.

Written as lowerings, which leave nothing in machine code that whoever loads it would import; functions of numba such as
`carray` do, which takes 0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array, populate_array

from andante.kernels import held


def _taught(function: Callable[..., Any], kind: types.Type, dimensions: int) -> None:
    """Let numba know the type and the code of a function of a table and a number."""
    array = types.Array(kind, dimensions, "C")

    class _Type(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, named: Any) -> Any:
            return signature(array, arguments[0], types.int64)

    def code(context: Any, builder: Any, typed: Any, arguments: Any) -> Any:
        table, number = make_array(typed.args[0])(context, builder, arguments[0]), arguments[1]
        begin = builder.mul(number, ir.Constant(number.type, held.ENTRY))
        address, *shape = (
            builder.load(builder.gep(table.data, [builder.add(begin, ir.Constant(number.type, place))]))
            for place in range(1 + dimensions)
        )
        found = make_array(array)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind)))
        strides = [size] if dimensions == 1 else [builder.mul(shape[1], size), size]
        populate_array(
            found,
            data=builder.inttoptr(address, found.data.type),
            shape=cgutils.pack_array(builder, shape),
            strides=cgutils.pack_array(builder, strides),
            itemsize=size,
            meminfo=None,
        )
        return found._getvalue()

    infer_global(function)(_Type)
    lower_builtin(function, types.Array, types.Integer)(code)


_taught(held.floats1, types.float64, 1)
_taught(held.floats2, types.float64, 2)
_taught(held.index1, types.int64, 1)
_taught(held.index2, types.int64, 2)
_taught(held.counts1, types.int32, 1)
_taught(held.flags1, types.boolean, 1)
_taught(held.flags2, types.boolean, 2)
