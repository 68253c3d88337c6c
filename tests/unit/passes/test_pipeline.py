from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.passes.catalog import find, in_rule_set
from onnxlab.passes.pipeline import PRESETS, Pipeline, preset, switchable

IDS = [record.id for record in switchable()]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_asks_for_its_level_and_disables_nothing(name: str) -> None:
    assert preset(name).level == name
    assert preset(name).disabled == ()
    assert preset(name).name == name


def test_a_toggle_disables_that_pass_alone() -> None:
    pipeline = preset("all").toggled("ConstantFolding", False)
    assert pipeline.disabled == ("ConstantFolding",)
    assert pipeline.level == "all"
    assert pipeline.name == "all − ConstantFolding"
    assert pipeline.toggled("ConstantFolding", True) == preset("all")


def test_a_single_pass_runs_alone_at_its_level() -> None:
    pipeline = preset("none").toggled("GeluFusionL2", True)
    assert pipeline.level == "extended"
    assert pipeline.enabled == {"GeluFusionL2"}
    assert "ConstantFolding" in pipeline.disabled
    assert "NchwcTransformer" not in pipeline.disabled


def test_a_rule_set_switches_its_rules() -> None:
    pipeline = preset("basic").toggled("Level1_RuleBasedTransformer", False)
    rules = {rule.id for rule in in_rule_set("Level1_RuleBasedTransformer") if rule.switchable}
    assert set(pipeline.disabled) == rules


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("EnsureUniqueDQForNodeUnit", "always runs"),
        ("BiasDropoutFusion", "needs CUDA"),
        ("ConstantFold", "Did you mean"),
    ],
)
def test_what_has_no_switch_says_why(name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        preset("all").toggled(name, False)


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="none, basic, extended"):
        preset("fast")


@given(st.frozensets(st.sampled_from(IDS)))
def test_level_and_disabled_give_back_the_choice(enabled: frozenset[str]) -> None:
    pipeline = Pipeline(enabled)
    assert pipeline.level_index == max((find(name).level for name in enabled), default=0)
    runs = {record.id for record in switchable() if record.level <= pipeline.level_index}
    assert runs - set(pipeline.disabled) == enabled
