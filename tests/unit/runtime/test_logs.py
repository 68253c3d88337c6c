from __future__ import annotations

import os

from onnxlab.runtime.child.logs import acting_transformers, first_error, with_captured_stderr


def test_transformers_are_named_once_in_order() -> None:
    log = b"""\
x [I:onnxruntime:, t.cc:15 Apply] GraphTransformer B modified: 1 with status: OK
x [I:onnxruntime:, t.cc:15 Apply] GraphTransformer C modified: 0 with status: OK
x [I:onnxruntime:, t.cc:15 Apply] GraphTransformer A modified: 1 with status: OK
x [I:onnxruntime:, t.cc:15 Apply] GraphTransformer B modified: 1 with status: OK
"""
    assert acting_transformers(log) == ["B", "A"]


def test_the_first_error_is_found_without_its_colours() -> None:
    log = (
        b"\x1b[0;93m2026 [W:onnxruntime:Default, a.cc:1 F] a warning\x1b[m\n"
        b"\x1b[1;31m2026 [E:onnxruntime:Default, b.cc:2 G] the reason\x1b[m\n"
        b"\x1b[1;31m2026 [E:onnxruntime:Default, b.cc:2 G] another\x1b[m\n"
    )
    assert first_error(log) == "the reason"
    assert first_error(b"nothing of note") == ""


def test_what_is_written_to_the_descriptor_is_captured() -> None:
    result, log = with_captured_stderr(lambda: os.write(2, b"native\n"))
    assert (result, log) == (7, b"native\n")
