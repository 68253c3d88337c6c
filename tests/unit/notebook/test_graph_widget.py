from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from onnx import ModelProto, TensorProto, helper

from onnxlab.errors import OnnxlabError
from onnxlab.model.load import load
from onnxlab.notebook.graph_widget import GraphWidget
from onnxlab.render import assets
from onnxlab.wire.schema import Failure, NodeDetail, NodeRequest, Response


def relu_model() -> ModelProto:
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy"]
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Neg", ["h"], ["y"])]
    graph = helper.make_graph(nodes, "graph", value[:1], value[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Peer:
    """Takes what a widget sends, and sends it messages."""

    def __init__(self, widget: GraphWidget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.widget = widget
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        monkeypatch.setattr(widget, "send", self._take)

    def _take(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        self.sent.append((content, buffers or []))

    def ask(self, what: object, *buffers: bytes) -> tuple[dict[str, Any], list[bytes]]:
        message = {"onnxlab": what, "id": "7"}
        self.widget._handle_custom_msg(message, [memoryview(b) for b in buffers])
        return self.sent[-1]


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand-ins for the built files: what they hold does not matter here."""
    for name in ("core.js", "core.css", "widget.js"):
        (tmp_path / name).write_text(f"/* {name} */")
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    assets._read.cache_clear()
    assets.core_hash.cache_clear()
    yield tmp_path
    assets._read.cache_clear()
    assets.core_hash.cache_clear()


@pytest.fixture
def widget(static: Path) -> GraphWidget:
    return GraphWidget(load(relu_model()), document=b"document")


@pytest.fixture
def peer(widget: GraphWidget, monkeypatch: pytest.MonkeyPatch) -> Peer:
    return Peer(widget, monkeypatch)


def test_state_holds_neither_the_core_nor_the_model(widget: GraphWidget) -> None:
    state = widget.get_state()
    own = {key: state[key] for key in ("_esm", "_core", "selected", "colour_by", "height")}
    assert own["_esm"] == "/* widget.js */"
    assert own["_core"] == assets.core_hash()
    assert not any(isinstance(value, bytes | memoryview) for value in state.values())
    assert "core.js" not in str(state)


def test_core_and_document_come_on_request(peer: Peer) -> None:
    assert peer.ask("core") == ({"id": "7"}, [b"/* core.js */", b"/* core.css */"])
    assert peer.ask("document") == ({"id": "7"}, [b"document"])


def test_details_come_on_request(peer: Peer) -> None:
    _, (answer,) = peer.ask("request", msgspec.msgpack.encode(NodeRequest(node=1)))
    detail = msgspec.msgpack.decode(answer, type=Response)
    assert isinstance(detail, NodeDetail)
    assert detail.address == "1"


def test_a_request_that_fails_is_a_failure(peer: Peer) -> None:
    _, (answer,) = peer.ask("request", msgspec.msgpack.encode(NodeRequest(node=99)))
    assert isinstance(msgspec.msgpack.decode(answer, type=Response), Failure)


@pytest.mark.parametrize("what", ["shell", None, 3])
def test_an_unknown_request_is_an_error_in_one_line(peer: Peer, what: object) -> None:
    content, buffers = peer.ask(what)
    assert content["id"] == "7"
    assert "core, document or request" in content["error"]
    assert buffers == []


def test_messages_of_others_are_left_alone(peer: Peer) -> None:
    peer.widget._handle_custom_msg({"kind": "anywidget-command"}, [])
    peer.widget._handle_custom_msg("text", [])
    assert peer.sent == []


def test_selection_in_addresses(widget: GraphWidget) -> None:
    widget.selected = [1]
    assert widget.selection == ["1"]
    widget.select("0", "1")
    assert widget.selected == [0, 1]
    with pytest.raises(ValueError):
        widget.select("77")


def test_another_document_asks_the_views_to_fetch_it(peer: Peer) -> None:
    peer.widget.show_document(b"with a profile")
    assert peer.widget.get_state("_revision") == {"_revision": 1}
    assert peer.ask("document")[1] == [b"with a profile"]


def test_repr_is_one_line(widget: GraphWidget) -> None:
    assert repr(widget).startswith("graph · ")
    assert "\n" not in repr(widget)


def test_missing_build_says_what_to_do(static: Path) -> None:
    (static / "core.js").unlink()
    with pytest.raises(OnnxlabError, match="make build"):
        assets.core_js()
