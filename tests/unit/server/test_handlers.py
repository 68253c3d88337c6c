from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import onnx
import pytest
from onnx import TensorProto, helper
from tornado.httpclient import HTTPClientError
from tornado.tcpclient import TCPClient

from onnxlab.server import handlers
from onnxlab.server.handlers import LARGEST_REQUEST_BYTES, STAMP_HEADER
from onnxlab.wire.schema import NodeDetail, NodeRequest, Request, Response, ViewDocument

Fetch = Callable[..., Any]


def save_model(path: Path, *, nodes: int = 2) -> Path:
    """A chain of Relu."""
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 4]) for n in ("v0", "y")]
    names = [f"v{i}" for i in range(nodes)] + ["y"]
    chain = [
        helper.make_node("Relu", [names[i]], [names[i + 1]], name=f"relu_{i}") for i in range(nodes)
    ]
    graph = helper.make_graph(chain, "chain", value[:1], value[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)
    return path


async def get_document(fetch: Fetch, path: str) -> tuple[ViewDocument, str]:
    response = await fetch("onnxlab", "api", "document", params={"path": path})
    document = msgspec.msgpack.decode(response.body, type=ViewDocument)
    return document, response.headers[STAMP_HEADER]


async def ask(fetch: Fetch, path: str, stamp: str, request: Request) -> Response:
    response = await fetch(
        "onnxlab",
        "api",
        "request",
        params={"path": path, "stamp": stamp},
        method="POST",
        body=msgspec.msgpack.encode(request),
    )
    return msgspec.msgpack.decode(response.body, type=Response)


async def refused(fetch: Fetch, *parts: str, **options: Any) -> tuple[int, str]:
    with pytest.raises(HTTPClientError) as caught:
        await fetch("onnxlab", "api", *parts, **options)
    body = caught.value.response.body if caught.value.response else b"{}"
    return caught.value.code, json.loads(body).get("message", "")


async def test_document_describes_the_model_and_is_not_cached(
    jp_fetch: Fetch, jp_root_dir: Path
) -> None:
    save_model(jp_root_dir / "folder" / "a.onnx", nodes=3)
    document, _ = await get_document(jp_fetch, "folder/a.onnx")
    assert document.header.name == "a.onnx"
    assert len(document.graph.node_op) == 3 * 4
    facts = {entry.key: entry.text for entry in document.header.entries}
    assert not [text for text in facts.values() if str(jp_root_dir) in text]

    response = await jp_fetch("onnxlab", "api", "document", params={"path": "folder/a.onnx"})
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Type"] == "application/msgpack"


async def test_request_is_answered(jp_fetch: Fetch, jp_root_dir: Path) -> None:
    save_model(jp_root_dir / "a.onnx")
    _, stamp = await get_document(jp_fetch, "a.onnx")
    detail = await ask(jp_fetch, "a.onnx", stamp, NodeRequest(node=1))
    assert isinstance(detail, NodeDetail)
    assert detail.address == "1"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("../outside.onnx", 404),
        ("/etc/passwd", 404),
        (".hidden/a.onnx", 404),
        ("link_to_hidden.onnx", 404),
        ("missing.onnx", 404),
        ("a\0b.onnx", 404),
        ("folder", 404),
        ("", 404),
        ("link_out.onnx", 403),
        ("linked_folder/outside.onnx", 403),
        ("broken.onnx", 422),
    ],
)
async def test_refused_paths(jp_fetch: Fetch, jp_root_dir: Path, path: str, status: int) -> None:
    outside = save_model(jp_root_dir.parent / "elsewhere" / "outside.onnx")
    save_model(jp_root_dir.parent / "outside.onnx")
    hidden = save_model(jp_root_dir / ".hidden" / "a.onnx")
    (jp_root_dir / "folder").mkdir()
    (jp_root_dir / "broken.onnx").write_bytes(b"\xff" * 100)
    (jp_root_dir / "link_out.onnx").symlink_to(outside)
    (jp_root_dir / "linked_folder").symlink_to(outside.parent)
    (jp_root_dir / "link_to_hidden.onnx").symlink_to(hidden)
    for resource in ("document", "stamp"):
        if (resource, status) == ("stamp", 422):
            continue
        code, line = await refused(jp_fetch, resource, params={"path": path})
        assert code == status
        assert "\n" not in line
        assert str(jp_root_dir.parent) not in line


async def test_link_inside_the_root_is_followed(jp_fetch: Fetch, jp_root_dir: Path) -> None:
    target = save_model(jp_root_dir / "a.onnx")
    (jp_root_dir / "link.onnx").symlink_to(target)
    document, _ = await get_document(jp_fetch, "link.onnx")
    assert document.header.name == "a.onnx"


async def test_wrong_token_is_refused(jp_fetch: Fetch, jp_root_dir: Path) -> None:
    save_model(jp_root_dir / "a.onnx")
    wrong = {"Authorization": "token wrong"}
    for resource in ("document", "stamp"):
        code, _ = await refused(jp_fetch, resource, params={"path": "a.onnx"}, headers=wrong)
        assert code == 403


async def test_user_who_may_not_read_files_is_refused(
    jp_fetch: Fetch, jp_root_dir: Path, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(jp_root_dir / "a.onnx")
    asked = []

    def is_authorized(_handler: object, _user: object, action: str, resource: str) -> bool:
        asked.append((action, resource))
        return resource != "contents"

    authorizer = jp_serverapp.web_app.settings["authorizer"]
    monkeypatch.setattr(authorizer, "is_authorized", is_authorized)
    assert (await refused(jp_fetch, "document", params={"path": "a.onnx"}))[0] == 403
    post = {"method": "POST", "body": b"", "params": {"path": "a.onnx", "stamp": ""}}
    assert (await refused(jp_fetch, "request", **post))[0] == 403
    assert set(asked) == {("read", "contents")}


async def test_post_without_a_token_needs_the_xsrf_cookie(
    jp_root_dir: Path, jp_base_url: str, http_server_client: Any, jp_serverapp: Any
) -> None:
    save_model(jp_root_dir / "a.onnx")
    url = f"{jp_base_url}onnxlab/api/request?path=a.onnx&stamp="
    with pytest.raises(HTTPClientError) as caught:
        await http_server_client.fetch(url, method="POST", body=b"")
    assert caught.value.code == 403


async def test_file_that_changed_is_a_conflict(jp_fetch: Fetch, jp_root_dir: Path) -> None:
    path = save_model(jp_root_dir / "a.onnx", nodes=2)
    _, stamp = await get_document(jp_fetch, "a.onnx")
    save_model(path, nodes=5)
    post = {
        "method": "POST",
        "body": msgspec.msgpack.encode(NodeRequest(node=0)),
        "params": {"path": "a.onnx", "stamp": stamp},
    }
    code, line = await refused(jp_fetch, "request", **post)
    assert (code, line) == (409, "a.onnx changed on disk")

    response = await jp_fetch("onnxlab", "api", "stamp", params={"path": "a.onnx"})
    assert json.loads(response.body)["stamp"] != stamp
    document, stamp = await get_document(jp_fetch, "a.onnx")
    assert len(document.graph.node_op) == 5 * 4
    assert isinstance(await ask(jp_fetch, "a.onnx", stamp, NodeRequest(node=4)), NodeDetail)


async def test_truncated_file_is_one_line_and_the_server_goes_on(
    jp_fetch: Fetch, jp_root_dir: Path
) -> None:
    path = save_model(jp_root_dir / "a.onnx")
    _, stamp = await get_document(jp_fetch, "a.onnx")
    os.truncate(path, 10)
    post = {"method": "POST", "body": msgspec.msgpack.encode(NodeRequest(node=0))}
    params = {"path": "a.onnx", "stamp": stamp}
    code, line = await refused(jp_fetch, "request", params=params, **post)
    assert code in (409, 422)
    assert line
    assert (await refused(jp_fetch, "document", params={"path": "a.onnx"}))[0] == 422
    save_model(path)
    await get_document(jp_fetch, "a.onnx")


@pytest.mark.parametrize("body", [b"", b"\xc1", msgspec.msgpack.encode({"type": "shell"})])
async def test_malformed_request(jp_fetch: Fetch, jp_root_dir: Path, body: bytes) -> None:
    save_model(jp_root_dir / "a.onnx")
    post = {"method": "POST", "params": {"path": "a.onnx", "stamp": ""}}
    assert (await refused(jp_fetch, "request", body=body, **post))[0] == 400


async def test_large_request_is_refused(jp_fetch: Fetch, jp_root_dir: Path) -> None:
    save_model(jp_root_dir / "a.onnx")
    post = {"method": "POST", "params": {"path": "a.onnx", "stamp": ""}}
    body = b" " * (LARGEST_REQUEST_BYTES + 1)
    assert (await refused(jp_fetch, "request", body=body, **post))[0] == 413


async def test_node_that_is_not_there_is_a_failure_not_an_error(
    jp_fetch: Fetch, jp_root_dir: Path
) -> None:
    save_model(jp_root_dir / "a.onnx")
    _, stamp = await get_document(jp_fetch, "a.onnx")
    answer = await ask(jp_fetch, "a.onnx", stamp, NodeRequest(node=10**6))
    assert answer.__struct_config__.tag == "failure"


async def test_answer_that_no_one_waits_for_is_no_error(
    jp_fetch: Fetch,
    jp_root_dir: Path,
    jp_base_url: str,
    jp_auth_header: dict[str, str],
    http_server_port: tuple[Any, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save_model(jp_root_dir / "a.onnx")
    began, is_gone = Event(), Event()
    logged: list[object] = []
    stamp = handlers._stamp

    def stamp_later(path: Path) -> str:
        began.set()
        is_gone.wait()
        return stamp(path)

    monkeypatch.setattr(handlers, "_stamp", stamp_later)
    monkeypatch.setattr(
        handlers.StampHandler, "log_exception", lambda _handler, *error: logged.append(error)
    )
    client = await TCPClient().connect("127.0.0.1", http_server_port[1])
    head = f"GET {jp_base_url}onnxlab/api/stamp?path=a.onnx HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    fields = "".join(f"{name}: {value}\r\n" for name, value in jp_auth_header.items())
    await client.write(f"{head}{fields}\r\n".encode())
    await asyncio.to_thread(began.wait)
    client.close()
    await jp_fetch("onnxlab", "api", "document", params={"path": "a.onnx"})
    is_gone.set()
    await jp_fetch("onnxlab", "api", "stamp", params={"path": "a.onnx"})
    assert logged == []


async def test_stamp_does_not_wait_for_models_that_load(
    jp_fetch: Fetch, jp_root_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(jp_root_dir / "a.onnx")
    may_go_on = Event()
    document = handlers._document

    def document_later(cache: Any, path: Path) -> tuple[str, bytes]:
        may_go_on.wait()
        return document(cache, path)

    monkeypatch.setattr(handlers, "_document", document_later)
    waiting = [
        asyncio.ensure_future(get_document(jp_fetch, "a.onnx")) for _ in range(handlers.THREADS)
    ]
    try:
        await jp_fetch("onnxlab", "api", "stamp", params={"path": "a.onnx"})
        assert not any(one.done() for one in waiting)
    finally:
        may_go_on.set()
        await asyncio.gather(*waiting)
