from __future__ import annotations

import inspect

import pytest

import onnxlab
from onnxlab import exits

PUBLIC = {
    "Model", "OnnxlabError", "Optimization", "Profile", "Provider",
    "load", "optimize", "profile", "providers", "report", "show",
}  # fmt: skip


def test_the_public_names_are_these() -> None:
    assert set(onnxlab.__all__) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_resolves_and_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(getattr(onnxlab, name))
    assert name in dir(onnxlab)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        onnxlab.frobnicate  # noqa: B018


@pytest.mark.parametrize("name", sorted(exits.EXITS))
def test_every_exit_leads_somewhere(name: str) -> None:
    assert callable(exits.resolve(name))
