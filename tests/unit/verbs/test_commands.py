from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import onnxlab
from onnxlab.verbs import VERBS
from onnxlab.verbs.commands import Request, app_of, parse
from onnxlab.verbs.options import options_of, read


def asked(verb: str, *tokens: str, magic: bool = False) -> Request:
    request = parse(app_of(verb, magic=magic), tokens)
    assert request is not None
    return request


def test_values_are_written_as_in_the_api() -> None:
    request = asked(
        "profile", "m.onnx", "--dims", "batch=1,seq=8", "--budget", "2 min", "--level", "basic",
        "--providers", "cpu", "--providers", "cuda", "-o", "x.html", "-q",
    )  # fmt: skip
    assert request.source == "m.onnx"
    assert request.keywords == {
        "dims": {"batch": 1, "seq": 8},
        "budget": 120.0,
        "level": "basic",
        "providers": ("cpu", "cuda"),
    }
    assert (request.out, request.quiet) == (Path("x.html"), True)


def test_options_that_were_not_given_are_left_to_the_verb() -> None:
    assert asked("optimize", "m.onnx").keywords == {}


def test_a_verb_with_its_own_out_gets_it() -> None:
    request = asked("optimize", "m.onnx", "-o", "fast.onnx", "--measure")
    assert request.keywords == {"out": Path("fast.onnx"), "measure": True}
    assert request.out is None


def test_only_magics_store_in_variables() -> None:
    assert asked("show", "m", "-v", "view", magic=True).var == "view"
    with pytest.raises(ValueError, match="Unknown option"):
        asked("show", "m", "-v", "view")


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["m", "--budgt", "3"], "Did you mean --budget"),
        (["m", "--dims", "batch"], "'batch' is not a dimension such as 'batch=1'"),
        (["m", "--runs", "x"], "--runs"),
        (["m", "--level", "most"], "--level"),
        ([], "give it a model"),
        (["m", "n"], "'n' is more than it takes"),
    ],
)
def test_a_wrong_line_is_one_sentence(tokens: list[str], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        asked("profile", *tokens)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_every_option(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(app_of(verb), ["--help"]) is None
    shown = capsys.readouterr().out
    function = getattr(onnxlab, verb)
    if verb != "providers":
        for option in read(options_of(function)):
            flag = f"--{option.name.replace('_', '-')}"
            assert (flag in shown) is not option.api_only
    assert (inspect.getdoc(function) or "").split()[0] in shown
