from __future__ import annotations

import pytest

from onnxlab.passes.catalog import LEVELS, PassKind, catalog, find, in_rule_set, search


def test_ids_are_unique_and_every_record_says_what_it_does() -> None:
    ids = [record.id for record in catalog()]
    assert len(ids) == len(set(ids))
    for record in catalog():
        assert record.description.endswith(".")
        assert record.example
        assert 1 <= record.level < len(LEVELS)


def test_a_rule_names_its_rule_set_and_the_operators_it_acts_on() -> None:
    rules = [record for record in catalog() if record.kind is PassKind.RULE]
    assert len(rules) > 15
    for rule in rules:
        assert find(rule.rule_set).kind is PassKind.RULE_SET
        assert find(rule.rule_set).level == rule.level
        assert rule.operators
        assert rule in in_rule_set(rule.rule_set)


@pytest.mark.parametrize("wrong", ["ConstantFoldng", "constantfolding", "MatMulAdFusion"])
def test_an_unknown_name_gets_advice(wrong: str) -> None:
    with pytest.raises(ValueError, match="Did you mean"):
        find(wrong)


def test_a_name_like_no_other_gets_a_pointer() -> None:
    with pytest.raises(ValueError, match=r"Optimization\.passes"):
        find("xyz")


def test_search_finds_by_word_and_by_effect() -> None:
    assert [record.id for record in search("batchnormalization conv")] == ["ConvBNFusion"]
    assert search("") == catalog()
    assert search("no such thing") == ()
