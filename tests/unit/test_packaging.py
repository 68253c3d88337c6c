from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import onnxlab

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "extension"
STATIC = (
    "core.js",
    "core.css",
    "widget.js",
    "chart.js",
    "report.js",
    "plotly.js",
    "third-party-licences.txt",
)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    import hatch_build

    return hatch_build


def test_wire_types_are_current() -> None:
    digest = runpy.run_path(str(EXTENSION / "scripts/wire_schema.py"))["digest"]()
    generated = (EXTENSION / "src/core/wire.gen.ts").read_text()
    assert f"// schema {digest}\n" in generated, "run `make wire`"


def test_npm_lock_names_no_host() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert all("resolved" not in package for package in lock["packages"].values())


def test_one_version() -> None:
    package = json.loads((EXTENSION / "package.json").read_text())
    assert package["version"] == onnxlab.__version__


@pytest.mark.parametrize("name", ["widget.js", "chart.js"])
def test_loader_is_small_enough_for_every_widget_s_state(name: str) -> None:
    loader = ROOT / "onnxlab/static" / name
    if not loader.exists():
        pytest.skip("the front end is not built")
    assert loader.stat().st_size <= 5_000


class TestStale:
    @pytest.fixture
    def tree(self, hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A built checkout: its sources are older than its outputs."""
        extension, outputs = tmp_path / "extension", (tmp_path / "a.js", tmp_path / "b.js")
        (extension / "src").mkdir(parents=True)
        sources = [extension / "src/view.ts", *(extension / name for name in hook.SOURCE_FILES)]
        for time, files in ((1_000, sources), (2_000, outputs)):
            for file in files:
                file.write_text("")
                os.utime(file, (time, time))
        monkeypatch.setattr(hook, "EXTENSION", extension)
        monkeypatch.setattr(hook, "OUTPUTS", outputs)
        return tmp_path

    def test_built(self, hook: ModuleType, tree: Path) -> None:
        assert not hook.is_stale()

    def test_output_missing(self, hook: ModuleType, tree: Path) -> None:
        (tree / "a.js").unlink()
        assert hook.is_stale()

    @pytest.mark.parametrize("source", ["src/view.ts", "package-lock.json"])
    def test_source_changed(self, hook: ModuleType, tree: Path, source: str) -> None:
        os.utime(tree / "extension" / source, (3_000, 3_000))
        assert hook.is_stale()

    def test_generated_worker_does_not_count(self, hook: ModuleType, tree: Path) -> None:
        (tree / "extension/src/layout.worker.gen.ts").write_text("")
        assert not hook.is_stale()

    def test_node_is_a_build_dependency_only_where_it_is_needed(
        self, hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def dependencies() -> list[str]:
            return hook.FrontEndHook.dependencies(None)

        monkeypatch.setattr(hook, "has_node", lambda: False)
        assert dependencies() == []
        (tree / "a.js").unlink()
        assert dependencies() == [hook.NODE_FROM_PYPI]
        monkeypatch.setattr(hook, "has_node", lambda: True)
        assert dependencies() == []


def path_without_node() -> str:
    """The PATH of this process less the folders in which there is a Node."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(f for f in folders if not any(Path(f).glob("node*")))


def build(kind: str, source: Path, target: Path) -> Path:
    """Build an sdist or a wheel with no Node in sight."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    environment = {**os.environ, "PATH": path_without_node()}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@pytest.mark.slow
def test_wheel_from_the_sdist_needs_no_node_and_is_whole(hook: ModuleType, tmp_path: Path) -> None:
    if hook.is_stale():
        pytest.skip("the front end is not built: `make build`")
    with tarfile.open(build("sdist", ROOT, tmp_path)) as sdist:
        assert not any("node_modules" in name for name in sdist.getnames())
        # Older patches of Python 3.11 have no filters; newer ones ask for one.
        sdist.extraction_filter = getattr(tarfile, "data_filter", None)
        sdist.extractall(tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()

    with zipfile.ZipFile(build("wheel", source, tmp_path)) as wheel:
        names = wheel.namelist()
    data = f"onnxlab-{onnxlab.__version__}.data/data"
    extension = f"{data}/share/jupyter/labextensions/onnxlab"
    assert {f"onnxlab/static/{name}" for name in STATIC} <= set(names)
    assert {f"{extension}/package.json", f"{extension}/install.json"} <= set(names)
    assert f"{data}/etc/jupyter/jupyter_server_config.d/onnxlab.json" in names
    assert not [name for name in names if name.startswith("onnxlab/labextension")]
    entries = [name for name in names if re.search(r"remoteEntry\.\w+\.js$", name)]
    assert len(entries) == 1
