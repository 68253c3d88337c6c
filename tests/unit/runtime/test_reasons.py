from __future__ import annotations

import pytest

from onnxlab.runtime.reasons import is_out_of_memory, reason

PREFIX = "[ONNXRuntimeError] : 1 : FAIL : "


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            PREFIX + "Load model from /a/m.onnx failed:This is an invalid model. Error: "
            "two nodes with same node name (n).",
            "two nodes with same node name (n)",
        ),
        (
            PREFIX + "Non-zero status code returned while running If node. Name:'c' Status "
            "Message: Non-zero status code returned while running Pad node. Name:'p' Status "
            "Message: Pad reflect: too long. Input shape:{1,64}",
            "Pad node 'p' failed: Pad reflect: too long. Input shape:{1,64}",
        ),
        (
            PREFIX + "/onnxruntime_src/onnxruntime/core/graph/model.cc:256 onnxruntime::Model::"
            "Model(onnx::ModelProto&&, const onnxruntime::PathString&) Unsupported model IR "
            "version: 99, max supported IR version: 14\n",
            "IR version 99 is newer than the 14 it knows; save a copy with ir_version 14",
        ),
        (
            "[ONNXRuntimeError] : 10 : INVALID_GRAPH : This is an invalid model. In Node, "
            '("", Softmax, "", -1) : ("x": tensor(int64),) -> ("y": tensor(float),) , Error '
            "Unrecognized attribute: foo for operator Softmax",
            "Unrecognized attribute: foo for operator Softmax",
        ),
        (
            "__init__(): incompatible constructor arguments. The following argument types are "
            "supported: 1. InferenceSession(arg0: SessionOptions, arg1: str) Invoked with: ...",
            "it does not take these arguments (a path that is not valid UTF-8?)",
        ),
        (
            PREFIX + "Protobuf serialization failed.",
            "it cannot write the optimised model (is the disk full?)",
        ),
        (
            "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for "
            "Relu(1) node with name 'r'",
            "no kernel for Relu(1), node 'r'",
        ),
        (
            "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for "
            "Relu(1) node with name ''",
            "no kernel for Relu(1)",
        ),
        (
            PREFIX + "Fatal error: com.acme:SuperOp(-1) is not a registered function/op",
            "it has no operator com.acme::SuperOp",
        ),
        (
            PREFIX + "Fatal error: SuperOp(-1) is not a registered function/op",
            "it has no operator SuperOp",
        ),
        ("", "no reason given"),
    ],
)
def test_the_reason_is_what_remains(message: str, expected: str) -> None:
    assert reason(message) == expected


def test_a_reason_is_one_bounded_line() -> None:
    text = reason("a\n" * 10_000)
    assert "\n" not in text
    assert len(text) <= 400


def test_control_characters_in_names_are_shown_not_obeyed() -> None:
    assert "\x1b" not in reason("two nodes with same node name (\x1b[2J)")


def test_memory_that_cannot_be_had_is_told_apart() -> None:
    assert is_out_of_memory("Failed to allocate memory for requested buffer of size 8")
    assert is_out_of_memory("std::bad_alloc")
    assert not is_out_of_memory("no kernel for Relu")
