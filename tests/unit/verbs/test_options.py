from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import pytest

from onnxlab.model.model import Model
from onnxlab.progress import Progress, silent
from onnxlab.testing import mlp
from onnxlab.verbs.options import Dims, Names, Seconds, build, options_of, read, verb


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The base.

    Attributes
    ----------
    runs
        How often.
    """

    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Base):
    """Options of a verb.

    Attributes
    ----------
    budget, ratio
        How long, and
        how much.
    """

    budget: Seconds = 10.0
    ratio: float = 1.0
    level: Literal["low", "high"] = "low"
    names: Names = ()
    dims: Dims = field(default_factory=dict)
    quick: bool = False
    data: Any = field(default=None, metadata={"api": True})


@verb(Options)
def time(model: Model, options: Options, *, progress: Progress) -> tuple[Model, Options]:
    """Measure a model.

    Returns
    -------
    tuple
        What it got.
    """
    progress("measuring", 1, 2)
    return model, options


def test_options_are_read_from_the_dataclass_and_its_base() -> None:
    options = {option.name: option for option in read(Options)}
    assert options["runs"].help == "How often."
    assert options["budget"].help == options["ratio"].help == "How long, and how much."
    assert options["level"].choices == ("low", "high")
    assert options["runs"].hint is int
    assert options["data"].api_only


def test_a_verb_loads_the_model_and_turns_keywords_into_options() -> None:
    model, options = time(mlp(), budget="2 min", names="a,b", dims={"n": 2}, progress=silent)
    assert isinstance(model, Model)
    assert options == Options(budget=120.0, names=("a", "b"), dims={"n": 2})
    assert time(model, progress=silent)[0] is model


def test_a_verb_tells_its_progress() -> None:
    told: list[tuple[object, ...]] = []
    time(mlp(), progress=lambda *what: told.append(what))
    assert told == [("measuring", 1, 2)]


def test_a_verb_has_the_signature_and_docstring_of_its_options() -> None:
    parameters = inspect.signature(time).parameters
    assert list(parameters) == ["model", *(o.name for o in read(Options)), "progress"]
    assert parameters["budget"].default == 10.0
    assert parameters["budget"].annotation == float | str
    assert parameters["runs"].annotation == int | None
    doc = inspect.getdoc(time) or ""
    assert (
        doc.index("Parameters")
        < doc.index("A model, or")
        < doc.index("How often.")
        < doc.index("Returns")
    )
    assert options_of(time) is Options


def test_a_second_argument_is_told_its_name() -> None:
    with pytest.raises(TypeError, match="time takes one model; the rest is said by name: runs="):
        cast("Any", time)(mlp(), "report.html")


def test_a_mistyped_keyword_gets_advice() -> None:
    with pytest.raises(TypeError, match="time has no option 'budgt'; did you mean 'budget'"):
        time(mlp(), budgt=3, progress=silent)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"level": "hihg"}, "level: 'hihg' is not one of low, high; did you mean 'high'?"),
        ({"runs": "3"}, "runs: expected int, got '3'"),
        ({"runs": True}, "runs: expected int, got True"),
        ({"quick": 1}, "quick: expected bool, got 1"),
        ({"budget": "soon"}, "budget: 'soon' is not a duration"),
        ({"budget": None}, "budget: None is not a duration"),
    ],
)
def test_a_wrong_value_says_which_option_and_why(keywords: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        build(Options, keywords)
    assert str(caught.value).startswith(message.rstrip("?"))


def test_whole_numbers_are_numbers() -> None:
    assert build(Options, {"ratio": 2, "runs": None}).ratio == 2
