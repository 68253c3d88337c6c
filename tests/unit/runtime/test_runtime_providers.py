from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from onnxlab.runtime import providers as module
from onnxlab.runtime.catalog import CATALOG, choose
from onnxlab.runtime.providers import Provider, Providers, providers, resolve


def test_cpu_works_and_comes_first() -> None:
    found = providers()
    assert found[0].name == "cpu"
    assert found[0].usable
    assert found[0].version
    assert len(found) >= len(CATALOG)


def test_what_cannot_be_used_says_why_and_how_to_get_it() -> None:
    missing = [provider for provider in providers() if not provider.usable]
    assert all(provider.reason for provider in missing)
    assert any("pip install" in provider.install for provider in missing)


def test_asking_imports_no_onnxruntime_here() -> None:
    code = (
        "import sys; from onnxlab.runtime.providers import providers; assert providers()[0].usable;"
        "print(sorted({'onnx', 'onnxruntime', 'pandas'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, text=True, cwd=root).strip() == "[]"


def test_without_onnxruntime_the_hint_is_the_extra(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    cpu = next(p for p in providers(python=str(tmp_path / "bare/bin/python")) if p.name == "cpu")
    assert not cpu.usable
    assert (cpu.reason, cpu.install) == (
        "onnxruntime is not installed",
        "pip install 'onnxlab[cpu]'",
    )


def test_a_name_takes_a_device() -> None:
    assert choose("cuda:1").options == {"device_id": "1"}
    assert choose("openvino:GPU").options == {"device_type": "GPU"}
    assert choose("CUDAExecutionProvider").entry.name == "cuda"
    assert choose("MyOwnExecutionProvider").entry.ort_name == "MyOwnExecutionProvider"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cdua", "did you mean 'cuda'"),
        ("gpu", "did you mean 'cuda'"),
        ("zzz", "known are cpu, cuda"),
        ("cpu:1", "'cpu' takes no device"),
    ],
)
def test_a_mistyped_name_gets_advice(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve(name)


def test_resolve_says_what_is_known_of_a_provider() -> None:
    assert resolve("cpu").usable
    assert resolve("qnn:0" if choose("qnn").entry.device_option else "qnn").usable is False


def test_the_list_shows_as_text_table_and_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Providers(
        Provider(
            name=name, ort_name=name, usable=usable, reason="<b>", install="pip", version="1.2"
        )
        for name, usable in (("slow", False), ("fast", True))
    )
    assert repr(shown).splitlines() == ["fast  yes  onnxruntime 1.2", "slow  no   <b>: pip"]
    assert "<b>" not in shown._repr_html_()
    assert list(shown.frame.index) == ["fast", "slow"]
    assert [provider.name for provider in shown[:1]] == ["fast"]


def test_names_in_the_catalog_are_unique() -> None:
    assert len({entry.name for entry in CATALOG}) == len(CATALOG)
    assert len({entry.ort_name for entry in CATALOG}) == len(CATALOG)
    assert module._NOT_LOCAL.isdisjoint(entry.ort_name for entry in CATALOG)
