from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

from onnxlab.notebook.magics import MagicError, register
from onnxlab.profiling.profile import Profile
from onnxlab.verbs.show import View

QUICK = "--runs 3 --sessions 2 --warmup 1 --budget '0.5 s'"


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell()
    register(made)
    yield made
    made.history_manager.end_session()


def run(shell: InteractiveShell, cell: str) -> ExecutionResult:
    return shell.run_cell(cell, store_history=False)


def test_a_magic_returns_its_result(shell: InteractiveShell, example_models: Path) -> None:
    result = run(shell, f"%onnx_show {example_models / 'logreg_iris.onnx'}").result
    assert isinstance(result, View)


def test_the_first_word_may_be_a_variable(
    shell: InteractiveShell, measured: Profile, tmp_path: Path
) -> None:
    shell.user_ns |= {"p": measured, "out": tmp_path / "r.html"}
    assert run(shell, "%onnx_report p -o $out").result.path == tmp_path / "r.html"
    shell.user_ns["path"] = "nope.onnx"
    error = run(shell, "%onnx_show path").error_in_exec
    assert str(error) == "nope.onnx does not exist"


def test_a_semicolon_or_quiet_silences(shell: InteractiveShell, example_models: Path) -> None:
    shell.user_ns["m"] = str(example_models / "logreg_iris.onnx")
    assert run(shell, "%onnx_show m;").result is None
    assert run(shell, "%onnx_show m -q").result is None


def test_results_go_to_a_variable_and_a_file(
    shell: InteractiveShell, example_models: Path, tmp_path: Path
) -> None:
    shell.user_ns |= {"m": str(example_models / "logreg_iris.onnx"), "out": tmp_path / "r.html"}
    assert run(shell, f"%onnx_profile m {QUICK} -v p -o $out").success
    assert isinstance(shell.user_ns["p"], Profile)
    assert (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    "line",
    ["nope.onnx", "m --budgt 3", "m -v 3x", "m -o m.txt", "", "m --dims batch"],
)
def test_an_error_is_one_line_and_never_an_exit(
    line: str, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    error = run(shell, f"%onnx_profile {line}").error_in_exec
    assert isinstance(error, MagicError)
    said = capsys.readouterr()
    assert (said.out + said.err).strip().startswith("onnxlab: ")
    assert (said.out + said.err).strip().count("\n") == 0


def test_help_is_shown_and_nothing_else_happens(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(shell, "%onnx_profile --help").success
    assert "--budget" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["1x", "class", "a.b"])
def test_a_result_goes_to_nothing_but_a_variable(shell: InteractiveShell, name: str) -> None:
    error = run(shell, f"%onnx_providers --var {name}").error_in_exec
    assert isinstance(error, MagicError)
    assert "cannot be the name of a variable" in str(error)
