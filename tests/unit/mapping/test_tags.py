from __future__ import annotations

import pytest

from onnxlab.mapping.tags import (
    inlining,
    parse_inlined_name,
    parse_tag,
    plain_name,
    specialised_name,
    tag,
)


def test_a_tag_is_read_back() -> None:
    assert parse_tag(tag(0)) == 0
    assert parse_tag(tag(123456)) == 123456


@pytest.mark.parametrize(
    "doc_string",
    [
        "",
        "onnxlab:",
        "onnxlab:-1",
        "onnxlab:1 2",
        "12",
        "onnxlab:²",
        "xonnxlab:1",
        "onnxlab:" + "9" * 5000,
    ],
)
def test_other_texts_are_no_tag(doc_string: str) -> None:
    assert parse_tag(doc_string) == -1


@pytest.mark.parametrize("token", ["", "_token_0", "_token_12"])
def test_the_call_site_is_read_from_an_inlined_name(token: str) -> None:
    function = specialised_name("F_token_1", 7)
    assert parse_inlined_name(f"_inlfunc_{function}{token}_a_token_b") == (7, "a_token_b")


def test_of_nested_inlinings_the_innermost_counts() -> None:
    name = f"_inlfunc_{specialised_name('F', 3)}_token_1__inlfunc_{specialised_name('G', 9)}_x"
    assert parse_inlined_name(name) == (9, "x")


def test_other_names_are_not_inlined() -> None:
    assert parse_inlined_name("x") is None
    assert parse_inlined_name("_inlfunc_Gelu_x") is None


def test_inlinings_of_a_schemas_function_are_told_apart() -> None:
    first, second = inlining("_inlfunc_Celu_x"), inlining("_inlfunc_Celu_token_4_x")
    assert len({first, second, ""}) == 3
    assert inlining("_inlfunc_Celu_token_4_y") == second
    assert inlining("x") == ""
    assert inlining(f"_inlfunc_{specialised_name('F', 3)}_x") == ""


def test_a_plain_name_is_the_users() -> None:
    assert plain_name(f"_inlfunc_{specialised_name('F', 3)}_lr") == "_inlfunc_F_lr"
    assert plain_name("conv") == "conv"
