"""One call of a local function as a model of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto

from onnxlab.model.text import text
from onnxlab.model.walk import call_key, function_key

__all__ = ["instance_model"]


def instance_model(
    model: ModelProto,
    function: FunctionProto | GraphProto,
    call: NodeProto,
    input_types: Sequence[TypeProto | None],
) -> ModelProto:
    """Return a model whose graph is the body of a function, as one call runs it.

    Parameters
    ----------
    model
        Where the function is defined.
    function
        The function.
    call
        The node that calls it; its attributes take the place of references to them.
    input_types
        Types of the call's inputs, None where unknown.
    """
    if not isinstance(function, FunctionProto):
        raise TypeError("only a function can be called")
    instance = ModelProto(ir_version=model.ir_version)
    instance.opset_import.extend(function.opset_import or model.opset_import)
    graph = instance.graph
    graph.name = function.name
    for number, name in enumerate(function.input):
        value = graph.input.add(name=name)
        known = input_types[number] if number < len(input_types) else None
        if known is not None:
            value.type.CopyFrom(known)
    for name in function.output:
        graph.output.add(name=name)
    graph.node.extend(function.node)
    graph.value_info.extend(getattr(function, "value_info", ()))
    bind_attributes(graph, _bindings(function, call))
    keys = {function_key(other) for other in model.functions}
    if any(call_key(node) in keys for node in function.node):
        instance.functions.extend(model.functions)
    return instance


def bind_attributes(graph: GraphProto, bindings: Mapping[str, AttributeProto]) -> None:
    """Replace references to a function's attributes, in bodies too; drop those without a value."""
    pending = [graph]
    while pending:
        for node in pending.pop().node:
            for position in reversed(range(len(node.attribute))):
                attribute = node.attribute[position]
                if attribute.ref_attr_name:
                    bound = bindings.get(text(attribute.ref_attr_name))
                    if bound is None:
                        del node.attribute[position]
                        continue
                    name = attribute.name
                    attribute.CopyFrom(bound)
                    attribute.name = name
                if attribute.HasField("g"):
                    pending.append(attribute.g)
                pending.extend(attribute.graphs)


def _bindings(function: FunctionProto, call: NodeProto) -> dict[str, AttributeProto]:
    given = {text(entry.name): entry for entry in function.attribute_proto}
    given |= {text(entry.name): entry for entry in call.attribute}
    return given
