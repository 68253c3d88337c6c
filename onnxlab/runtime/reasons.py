"""ONNX Runtime's error texts, trimmed to the reason."""

from __future__ import annotations

import re

from onnxlab.model.text import elide, visible

__all__ = ["is_out_of_memory", "reason"]

_LIMIT = 400
_MODEL_TEXT = r"(?P<name>.{1,200}?)"

# What ORT writes around a reason: its status, its own source files, the path of the model.
_NOISE = (
    re.compile(r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : "),
    re.compile(r"Load model from .*? failed: ?", re.DOTALL),
    re.compile(r"Exception during (?:initialization|loading): "),
    re.compile(r"(?:This is an i|I)nvalid model\. (?:Error: )?"),
    re.compile(r"In Node, .*? , Error ", re.DOTALL),
    re.compile(r"Please fix either the inputs/outputs or the model\.?"),
    # file.cc:123 with the function's signature, up to the closing bracket of its parameters
    re.compile(r"\S*\.(?:cc|h|cpp|cu):\d+ (?:[^\n]*?\)(?: const)?(?: \[with [^\]]*\])? |\S+ )"),
    re.compile(r"^\S+::\S+ ", re.MULTILINE),
)

# Control flow wraps the message of the node that failed in its own; the last one is the cause.
_FAILED_NODE = re.compile(
    r".*Non-zero status code returned while running (\S+) node\. Name:'(.*?)' Status Message: ",
    re.DOTALL,
)

# (pattern, the same in plain words)
_PLAIN = (
    (
        re.compile(
            r"Fatal error: (?P<domain>[^\s:]+):(?P<op>\S+?)\(-?\d+\) "
            r"is not a registered function/op"
        ),
        "it has no operator {domain}::{op}",
    ),
    (
        re.compile(r"Fatal error: :?(?P<op>\S+?)\(-?\d+\) is not a registered function/op"),
        "it has no operator {op}",
    ),
    (
        re.compile(r"No Op registered for (?P<op>\S+) with domain_version of (?P<version>\d+)"),
        "it has no operator {op} at opset {version}",
    ),
    (
        re.compile(
            rf"Could not find an implementation for (?P<op>\S+) node with name '{_MODEL_TEXT}'"
        ),
        "no kernel for {op}, node '{name}'",
    ),
    (
        re.compile(r"Could not find an implementation for (?P<op>\S+) node"),
        "no kernel for {op}",
    ),
    (
        re.compile(
            r"Opset (?P<opset>\d+) is under development.*support for domain (?P<domain>\S+) "
            r"is till opset (?P<known>\d+)",
            re.DOTALL,
        ),
        "opset {opset} of {domain} is newer than the {known} it knows",
    ),
    (
        re.compile(
            r"Unsupported model IR version: (?P<version>\d+), max supported IR version: "
            r"(?P<known>\d+)"
        ),
        "IR version {version} is newer than the {known} it knows; "
        "save a copy with ir_version {known}",
    ),
    (
        re.compile(r"Protobuf parsing failed"),
        "the file is no readable protobuf (truncated?)",
    ),
    (
        re.compile(r"incompatible (?:function|constructor) arguments"),
        "it does not take these arguments (a path that is not valid UTF-8?)",
    ),
    (
        re.compile(r"Protobuf serialization failed"),
        "it cannot write the optimised model (is the disk full?)",
    ),
)


def reason(message: str) -> str:
    """Return the reason in an ORT error text, on one bounded line.

    Examples
    --------
    >>> reason("[ONNXRuntimeError] : 1 : FAIL : Load model from m.onnx failed:"
    ...        "Fatal error: com.acme:SuperOp(-1) is not a registered function/op")
    'it has no operator com.acme::SuperOp'
    """
    for pattern, plain in _PLAIN:
        if match := pattern.search(message):
            return _one_line(plain.format_map(match.groupdict()))
    message = _FAILED_NODE.sub(_failed_node, message)
    for noise in _NOISE:
        message = noise.sub("", message)
    return _one_line(message) or "no reason given"


def _failed_node(match: re.Match[str]) -> str:
    op, name = match.groups()
    return f"{op} node '{name}' failed: " if name else f"a {op} node failed: "


def is_out_of_memory(message: str) -> bool:
    """Tell whether an ORT error text is about memory that could not be had."""
    return "bad_alloc" in message or "Failed to allocate memory" in message


def _one_line(text: str) -> str:
    return elide(visible(" ".join(text.split()).rstrip(".")), _LIMIT)
