"""What ops that are spelled alike have in common, so that a parser makes the second one at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation

from ...records import record
from ..new_op import new_op


@record
class KnownForm:
    """All of an op without regions but its operands and where it stands."""

    op_type: type[IRDLOperation]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    operand_types: Sequence[Attribute]
    result_types: Sequence[Attribute]

    @staticmethod
    def of(op_type: type[IRDLOperation], attributes: Mapping[str, Attribute], types: FunctionType) -> KnownForm:
        """Returns the form of an op with attributes, those that it declares among its properties."""
        names = op_type.get_irdl_definition().properties
        properties = {name: attr for name, attr in attributes.items() if name in names}
        rest = {name: attr for name, attr in attributes.items() if name not in names}
        return KnownForm(op_type, properties, rest, [*types.inputs.data], types.outputs.data)

    def make(self, operands: Sequence[SSAValue]) -> IRDLOperation:
        """Returns an op of this form on operands that have the types."""
        op = new_op(self.op_type, operands, self.result_types, self.properties)
        op.attributes.update(self.attributes)
        return op
