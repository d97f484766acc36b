"""All converters, by the domain and the name of the op."""

from __future__ import annotations

from ..fold import RANDOM
from ..table import Table
from . import (
    activation,
    cast,
    contrib,
    control_flow,
    conv,
    create,
    detection,
    elementwise,
    indexing,
    linear_algebra,
    manipulate,
    norm,
    ordering,
    pool,
    qlinear,
    quantize,
    recurrent,
    reduction,
    resize,
    sampling,
    sequence,
    signal,
    training,
)

CONVERTERS: Table = {
    **elementwise.TABLE,
    **activation.TABLE,
    **cast.TABLE,
    **linear_algebra.TABLE,
    **conv.TABLE,
    **pool.TABLE,
    **norm.TABLE,
    **reduction.TABLE,
    **ordering.TABLE,
    **manipulate.TABLE,
    **indexing.TABLE,
    **create.TABLE,
    **quantize.TABLE,
    **control_flow.TABLE,
    **sequence.TABLE,
    **recurrent.TABLE,
    **resize.TABLE,
    **sampling.TABLE,
    **signal.TABLE,
    **detection.TABLE,
    **training.TABLE,
    **contrib.TABLE,
    **qlinear.TABLE,
}
"""An op that is not in here is imported by its definition as a function, if ONNX or the model has one."""

_TEXT = ("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer")

REASONS = {
    **dict.fromkeys(RANDOM, "draws random numbers: results are a function of the arguments"),
    **dict.fromkeys(_TEXT, "the dialect has no text"),
    "ImageDecoder": "files are decoded outside of programs",
}
"""Why some ops have no converter."""
