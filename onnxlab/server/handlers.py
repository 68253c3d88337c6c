"""The REST interface of the JupyterLab document.

``GET onnxlab/api/document?path=`` a `ViewDocument`, with its file's stamp as a header;
``GET onnxlab/api/stamp?path=`` the stamp alone, to notice that the file changed;
``POST onnxlab/api/request?path=&stamp=`` one `Request`, answered by one `Response`.

Work runs in threads: the server answers others meanwhile. Errors are JSON: one line, ``message``.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.iostream import StreamClosedError

from onnxlab.errors import FileChanged, OnnxlabError
from onnxlab.model.source import read_stamp
from onnxlab.server.cache import ModelCache, stamp_text
from onnxlab.server.paths import local_file
from onnxlab.server.refusal import Refusal

__all__ = ["STAMP_HEADER", "add_handlers"]

STAMP_HEADER = "Onnxlab-Stamp"
MSGPACK = "application/msgpack"
LARGEST_REQUEST_BYTES = 4096
THREADS = 4

log = logging.getLogger(__name__)
Result = TypeVar("Result")


class ModelHandler(APIHandler):
    """What the handlers share: the file a request means, threads, one-line errors."""

    auth_resource = "contents"  # who may read files may see models

    def initialize(self, cache: ModelCache, threads: ThreadPoolExecutor) -> None:
        """Take what all requests share."""
        self.cache = cache
        self.threads = threads

    def set_default_headers(self) -> None:
        """Keep answers out of caches: the file may change."""
        super().set_default_headers()
        self.set_header("Cache-Control", "no-store")

    async def file(self) -> Path:
        """Return the file that the request's ``path`` means."""
        return await local_file(self.contents_manager, self.get_query_argument("path"))

    async def work(self, task: Callable[[Path], Result], path: Path) -> Result:
        """Run a task in a thread; what goes wrong becomes a refusal."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.threads, task, path)
        except Refusal:
            raise
        except FileChanged as error:
            raise Refusal(409, f"{path.name} changed on disk") from error
        except OnnxlabError as error:
            raise Refusal(422, self._line(error, path)) from error
        except Exception as error:
            log.exception("a request for a model failed")
            line = f"onnxlab failed on {path.name} ({type(error).__name__}): see the server's log"
            raise Refusal(500, line) from error

    async def send(self, body: bytes | str, *, content_type: str = "application/json") -> None:
        """Finish with this answer, unless whoever asked has gone meanwhile."""
        with suppress(StreamClosedError):
            await self.finish(body, set_content_type=content_type)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write a refusal as JSON."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, Refusal):
            self.finish(json.dumps({"message": error.line}))
        else:
            super().write_error(status_code, **kwargs)

    def _line(self, error: OnnxlabError, path: Path) -> str:
        """Return an error's line without the places of this machine."""
        line = " ".join(str(error).split())
        root = Path(self.contents_manager.root_dir)
        shown = line.replace(str(path), path.name)
        for folder in (path.parent, root.resolve(), root):
            shown = shown.replace(f"{folder}/", "").replace(str(folder), "the model's folder")
        return shown


class DocumentHandler(ModelHandler):
    """Answers with all that a view needs to draw a model."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send a `ViewDocument`."""
        stamp, body = await self.work(partial(_document, self.cache), await self.file())
        self.set_header(STAMP_HEADER, stamp)
        await self.send(body, content_type=MSGPACK)


class StampHandler(ModelHandler):
    """Answers with what changes when the file changes."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Send the file's stamp."""
        stamp = await self.work(_stamp, await self.file())
        await self.send(json.dumps({"stamp": stamp}))


class RequestHandler(ModelHandler):
    """Answers a view's requests for details."""

    @web.authenticated
    @authorized(action="read")  # type: ignore[untyped-decorator]  # it reads, though it posts
    async def post(self) -> None:
        """Send the `Response` to the `Request` in the body."""
        body = self.request.body
        if len(body) > LARGEST_REQUEST_BYTES:
            raise Refusal(413, f"a request has at most {LARGEST_REQUEST_BYTES} bytes")
        task = partial(_answer, self.cache, self.get_query_argument("stamp"), body)
        answer = await self.work(task, await self.file())
        await self.send(answer, content_type=MSGPACK)


def add_handlers(app: web.Application) -> None:
    """Add onnxlab's handlers to a Jupyter server's application."""
    cache = ModelCache()
    work = ThreadPoolExecutor(THREADS, thread_name_prefix="onnxlab")
    look = ThreadPoolExecutor(1, thread_name_prefix="onnxlab-stamp")  # waits for no model
    routes = (
        ("document", DocumentHandler, work),
        ("stamp", StampHandler, look),
        ("request", RequestHandler, work),
    )
    base = url_path_join(app.settings["base_url"], "onnxlab", "api")
    app.add_handlers(
        ".*$",
        [
            (url_path_join(base, name), kind, {"cache": cache, "threads": threads})
            for name, kind, threads in routes
        ],
    )


def _document(cache: ModelCache, path: Path) -> tuple[str, bytes]:
    from onnxlab.wire.build import encode, view_document

    model, stamp = cache.get(path)
    return stamp, encode(view_document(model))


def _stamp(path: Path) -> str:
    return stamp_text(read_stamp(path))


def _answer(cache: ModelCache, stamp: str, body: bytes, path: Path) -> bytes:
    from onnxlab.wire.requests import answer
    from onnxlab.wire.schema import Failure, Request

    try:
        request = msgspec.msgpack.decode(body, type=Request)
    except msgspec.DecodeError as error:
        raise Refusal(400, f"this is no request that onnxlab knows: {error}") from error
    model, current = cache.get(path)
    if current != stamp:
        raise FileChanged(f"{path.name} changed on disk")
    try:
        response = answer(model, request)
    except FileChanged:
        raise
    except OnnxlabError as error:
        response = Failure(message=str(error))
    return msgspec.msgpack.encode(response)
