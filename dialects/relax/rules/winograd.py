"""The transforms of Winograd's convolutions F(2x2, 3x3) and F(4x4, 3x3): of a 3x3 kernel, of a window of the data, and of their product."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir.affine import AffineExpr, AffineMap

from ....records import record
from ...symbolic.expressions import Dim, add, ceildiv, product

Transform: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix by its rows; it is applied to both spatial dims: `T x T^T`."""

TAPS = 3
"""Rows and columns of the kernel."""

PAIR = 2
"""The input channels that lie together in a kernel of integers, as instructions multiply them."""

MOST_INTEGER_INPUTS = (1 << 31) // (4 * TAPS * TAPS * 255 * 128)
"""The input channels of which four times any sum of products of bytes fits i32: results are exact, although sums on the way wrap around."""


@record
class WinogradTile:
    """The results that one window of the data gives, by transforms of polynomials to their values at some points and back."""

    size: int
    """Rows and columns of the results."""
    kernel: Transform
    """`G`: a kernel `g` becomes `G g G^T`."""
    data: Transform
    """`B^T`: a window `d` becomes `B^T d B`."""
    result: Transform
    """`A^T`: a product `m` becomes the results `A^T m A`."""

    @property
    def window(self) -> int:
        """Rows and columns of the data that a tile reads, and products that each of its dims takes."""
        return self.size + TAPS - 1

    @property
    def products(self) -> int:
        """Products of a channel of the data and a channel of the kernel that a tile takes."""
        return self.window * self.window

    @property
    def name(self) -> str:
        return f"F({self.size}x{self.size}, {TAPS}x{TAPS})"

    def padded_size(self, results: Dim) -> Dim:
        """Returns the rows of the padded data that so many rows of results are computed from, in whole tiles; columns alike."""
        return add(product([ceildiv(results, self.size), self.size]), TAPS - 1)

    def integer_maps(self, block: int) -> list[AffineMap]:
        """Returns the same for integers: channels of data and result are last, those of the kernel in pairs and blocks of so many.

        Its dims are those of the result `[n, y, x, o]`, then the same as in `maps`.
        """
        n, y, x, o, c, u, v, i, j = (AffineExpr.dimension(d) for d in range(9))
        exprs = [
            (n, y // self.size * self.size + i, x // self.size * self.size + j, c),
            (u, v, o // block, c // PAIR, o % block, c % PAIR),
            (y % self.size, u),
            (x % self.size, v),
            (u, i),
            (v, j),
            (n, y, x, o),
        ]
        return [AffineMap(9, 0, each) for each in exprs]

    def maps(self) -> list[AffineMap]:
        """Returns how a contraction indexes the padded data, the kernel, `A^T` twice, `B^T` twice and the result.

        Its dims are those of the result `[n, o, y, x]`, then the channels, the two of products `u, v`, and the two of a window `i, j`.
        """
        n, o, y, x, c, u, v, i, j = (AffineExpr.dimension(d) for d in range(9))
        exprs = [
            (n, c, y // self.size * self.size + i, x // self.size * self.size + j),
            (u, v, c, o),
            (y % self.size, u),
            (x % self.size, v),
            (u, i),
            (v, j),
            (n, o, y, x),
        ]
        return [AffineMap(9, 0, each) for each in exprs]


def on_both_dims(transform: Transform) -> Transform:
    """Returns the Kronecker product of a transform with itself, which does to a matrix as one vector what `T x T^T` does to it."""
    return tuple(tuple(a * b for a in upper for b in lower) for upper in transform for lower in transform)


def _tile_of_four(a: float, b: float) -> WinogradTile:
    """Returns the tile of 4x4 results by the points 0, a, -a, b, -b and infinity."""
    aa, bb = a * a, b * b
    of_a, of_b = 1 / (2 * aa * (aa - bb)), 1 / (2 * bb * (bb - aa))
    return WinogradTile(
        size=4,
        kernel=(
            (1 / (aa * bb), 0.0, 0.0),
            (of_a, of_a * a, of_a * aa),
            (of_a, -of_a * a, of_a * aa),
            (of_b, of_b * b, of_b * bb),
            (of_b, -of_b * b, of_b * bb),
            (0.0, 0.0, 1.0),
        ),
        data=(
            (aa * bb, 0.0, -aa - bb, 0.0, 1.0, 0.0),
            (0.0, -a * bb, -bb, a, 1.0, 0.0),
            (0.0, a * bb, -bb, -a, 1.0, 0.0),
            (0.0, -aa * b, -aa, b, 1.0, 0.0),
            (0.0, aa * b, -aa, -b, 1.0, 0.0),
            (0.0, aa * bb, 0.0, -aa - bb, 0.0, 1.0),
        ),
        result=(
            (1.0, 1.0, 1.0, 1.0, 1.0, 0.0),
            (0.0, a, -a, b, -b, 0.0),
            (0.0, aa, aa, bb, bb, 0.0),
            (0.0, a * aa, -a * aa, b * bb, -b * bb, 1.0),
        ),
    )


INTEGER_KERNEL: Transform = ((2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2))
"""`2 G` of F(2x2, 3x3), which has integers alone."""

INTEGER_SHIFT = 2
"""The bits by which results are shifted that a kernel transformed by `2 G` on both sides gives."""

TWO = WinogradTile(
    size=2,
    kernel=((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0)),
    data=((1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 1.0, 0.0), (0.0, -1.0, 1.0, 0.0), (0.0, 1.0, 0.0, -1.0)),
    result=((1.0, 1.0, 1.0, 0.0), (0.0, 1.0, -1.0, -1.0)),
)
"""2x2 results by the points 0, 1, -1 and infinity."""

FOUR = _tile_of_four(5 / 8, 3 / 2)
"""4x4 results. Of points that are multiples of 1/8 these have the least error: half of that of 1 and 2, whose powers differ more."""

TILES = {tile.window: tile for tile in (TWO, FOUR)}
"""The tiles, by the products that each dim of the kernel has."""
