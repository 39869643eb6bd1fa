"""A tile of a product with bfloat16, as code for the compiler: Numba has no vectors.

The left factor's pairs of terms are spread over a vector one by one and multiplied with vectors
of the right factor's; a tile is as large as the processor's registers can hold sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from stepwrite.training.kernels.precision import AVAILABLE

LANES = 16  # sums in a vector register
ROWS, VECTORS = 4, 5  # sums of a tile: they fill the registers, and hide how long each step takes


class _BFloat(ir.Type):  # type: ignore[misc]
    """The type that llvmlite has no name for."""

    def __str__(self) -> str:
        return "bfloat"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BFloat)

    def __hash__(self) -> int:
        return hash(_BFloat)


_flag, _int, _size = ir.IntType(1), ir.IntType(32), ir.IntType(64)
_floats = ir.VectorType(ir.FloatType(), LANES)
_ints = ir.VectorType(_int, LANES)
_pairs = ir.VectorType(_BFloat(), 2 * LANES)
_flags = ir.VectorType(_flag, LANES)
_lanes = _size(LANES)
_zeros = ir.Constant(_floats, [0.0] * LANES)


def _tile(typing: Any, places: Any, strides: Any, sizes: Any) -> Any:
    """The product of a tile.

    places: where the tile begins in the left factor, the right factor and the sum.
    strides: the left factor's by row and by term, the right factor's and the sum's by row; in
    elements, which all have 32 bits.
    sizes: terms, rows (1 or ROWS), vectors (1 to VECTORS), columns of the last vector, and
    whether to add to what is there (1) or not (0).
    """

    def generate(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        if AVAILABLE:  # elsewhere this is compiled, too, but never called
            places, strides, sizes = (
                [builder.extract_value(value, k) for k in range(len(value.type))] for value in given
            )
            n_terms, n_rows, n_vectors, *rest = sizes
            end = builder.append_basic_block("end")
            choice = builder.switch(builder.add(n_vectors, builder.mul(n_rows, _size(16))), end)
            for rows in (1, ROWS):
                for vectors in range(1, VECTORS + 1):
                    block = builder.append_basic_block("tile")
                    choice.add_case(_size(vectors + rows * 16), block)
                    builder.position_at_end(block)
                    _Tile(builder, *places, *strides).generate(n_terms, rows, vectors, *rest)
                    builder.branch(end)
            builder.position_at_end(end)
        return context.get_dummy_value()

    return types.void(places, strides, sizes), generate


tile: Any = intrinsic(_tile)


@dataclass(frozen=True)
class _Tile:
    """Writes the code for a tile of a given size; see `_tile`."""

    builder: Any
    left: Any
    right: Any
    out: Any
    left_row: Any
    left_term: Any
    right_term: Any
    out_row: Any

    def generate(self, n_terms: Any, n_rows: int, n_vectors: int, last: Any, add: Any) -> None:
        """A loop over the terms with all sums in registers, then put them where they belong."""
        builder = self.builder
        step = self._function("llvm.x86.avx512bf16.dpbf16ps.512", _floats, _floats, _pairs, _pairs)
        before = builder.basic_block
        loop, after = builder.append_basic_block("terms"), builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        term = builder.phi(_size)
        sums = [[builder.phi(_floats) for _ in range(n_vectors)] for _ in range(n_rows)]
        columns = [
            self._load(
                self._place(_pairs, self.right, (self.right_term, term), (_lanes, _size(vector)))
            )
            for vector in range(n_vectors)
        ]
        for row, totals in enumerate(sums):
            steps = (self.left_row, _size(row)), (self.left_term, term)
            pair = self._spread(self._load(self._place(_int, self.left, *steps)))
            factor = builder.bitcast(pair, _pairs)
            for total, column in zip(totals, columns, strict=True):
                total.add_incoming(_zeros, before)
                total.add_incoming(builder.call(step, [total, factor, column]), loop)
        following = builder.add(term, _size(1))
        term.add_incoming(_size(0), before)
        term.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, n_terms), loop, after)
        builder.position_at_end(after)
        self._put([[total.incomings[1][0] for total in totals] for totals in sums], last, add)

    def _put(self, sums: Sequence[Sequence[Any]], last: Any, add: Any) -> None:
        builder, address = self.builder, _floats.as_pointer()
        load = self._function("llvm.masked.load.v16f32.p0", _floats, address, _int, _flags, _floats)
        store = self._function(
            "llvm.masked.store.v16f32.p0", ir.VoidType(), _floats, address, _int, _flags
        )
        lanes = ir.Constant(_ints, list(range(LANES)))
        some = builder.icmp_signed("<", lanes, self._spread(builder.trunc(last, _int)))
        all_lanes = ir.Constant(_flags, [True] * LANES)
        old_lanes = builder.icmp_signed(
            "<", ir.Constant(_ints, [0] * LANES), self._spread(builder.trunc(add, _int))
        )
        for row, totals in enumerate(sums):
            for vector, total in enumerate(totals):
                mask = some if vector == len(totals) - 1 else all_lanes
                steps = (self.out_row, _size(row)), (_lanes, _size(vector))
                place = self._place(_floats, self.out, *steps)
                old = builder.call(load, [place, _int(4), builder.and_(mask, old_lanes), _zeros])
                builder.call(store, [builder.fadd(old, total), place, _int(4), mask])

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        module = self.builder.module
        known = module.globals.get(name)
        return known or ir.Function(module, ir.FunctionType(result, arguments), name)

    def _place(self, kind: Any, base: Any, *steps: tuple[Any, Any]) -> Any:
        """The address so many strides from the base, as one of such a kind."""
        builder = self.builder
        for stride, number in steps:
            offset = builder.mul(builder.mul(stride, number), _size(4))
            base = builder.add(base, offset)
        return builder.inttoptr(base, kind.as_pointer())

    def _load(self, place: Any) -> Any:
        value = self.builder.load(place)
        value.align = 4
        return value

    def _spread(self, value: Any) -> Any:
        """The value in all lanes."""
        nothing = ir.Constant(_ints, ir.Undefined)
        first = self.builder.insert_element(nothing, value, _int(0))
        return self.builder.shuffle_vector(first, nothing, ir.Constant(_ints, [0] * LANES))
