from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import onnx
import pytest

from onnxlab import __version__
from onnxlab.cli import main
from onnxlab.testing import mlp, with_loop

QUICK = ("--runs", "3", "--sessions", "2", "--warmup", "1", "--budget", "0.5 s")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__
    assert main([]) == 0
    assert "profile" in capsys.readouterr().out


def test_show_says_what_a_model_is(
    example_models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(example_models / "rapidocr_cls.onnx")]) == 0
    shown = capsys.readouterr().out
    assert "rapidocr_cls.onnx · opset 11 · 566 nodes" in shown
    assert "Conv" in shown


def test_profile_shows_and_writes(
    example_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.onnxprof"
    model = str(example_models / "logreg_iris.onnx")
    assert main(["profile", model, *QUICK, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "LinearClassifier" in shown
    assert f"Wrote {out}" in shown
    assert main(["report", str(out), "-o", str(tmp_path / "r.html"), "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "r.html").exists()


def test_optimize_saves(
    example_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fast.onnx"
    assert main(["optimize", str(example_models / "rapidocr_cls.onnx"), "-o", str(out)]) == 0
    assert "ConstantFolding" in capsys.readouterr().out
    assert len(onnx.load(out).graph.node) < 566


def test_providers_lists_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["providers"]) == 0
    assert "cpu" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "exit_code", "message"),
    [
        (["profile", "nope.onnx"], 1, "nope.onnx does not exist"),
        (["profile"], 2, "give it a model: a file; --help says more"),
        (["profile", "m", "n"], 2, "'n' is more than it takes"),
        (["pofile", "m"], 2, 'Did you mean "profile"'),
        (["profile", "m", "--budgt", "1"], 2, "Did you mean --budget"),
        (["profile", "m", "-o", "m.txt"], 2, "ends in .html"),
    ],
)
def test_what_is_wrong_is_one_line_and_an_exit_code(
    line: list[str], exit_code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line) == exit_code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert said.startswith("onnxlab: ")


def test_a_model_with_an_error_fails(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    model = with_loop()
    model.graph.node[0].input[0] = "nowhere"
    broken.write_bytes(model.SerializeToString())
    assert main(["show", str(broken), "-q"]) == 1


def test_a_model_that_does_not_run_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = mlp(layers=1)
    model.graph.node[0].op_type = "Nonsense"
    refused = tmp_path / "refused.onnx"
    refused.write_bytes(model.SerializeToString())
    for verb in ("optimize", "profile"):
        assert main([verb, str(refused)]) == 1
        assert "Nonsense" in capsys.readouterr().out
    page = tmp_path / "refused.html"
    assert main(["report", str(refused), "-o", str(page)]) == 1
    assert page.exists()


@pytest.mark.slow
def test_interrupting_leaves_one_line(tmp_path: Path) -> None:
    endless = tmp_path / "endless.onnx"
    endless.write_bytes(with_loop(trips=2**62).SerializeToString())
    child = subprocess.Popen(
        [sys.executable, "-m", "onnxlab", "profile", str(endless)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a background job's is off
    )
    time.sleep(6)  # until the model runs; earlier would do as well
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    assert said == "onnxlab: interrupted\n"


def test_a_terminal_that_lacks_characters_shows_the_rest(
    example_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["show", str(example_models / "logreg_iris.onnx")]) == 0
    terminal.seek(0)
    assert "logreg_iris.onnx ? no opset" in terminal.read()


def test_output_that_cannot_be_written_is_one_line(
    example_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["show", str(example_models / "logreg_iris.onnx")]) == 1
    assert capsys.readouterr().err == "onnxlab: the system refuses: No space left on device\n"
