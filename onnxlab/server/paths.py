"""From a path of the contents API to the file it means, or a refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_server.services.contents.fileio import FileManagerMixin
from jupyter_server.services.contents.manager import ContentsManager
from jupyter_server.utils import ensure_async
from tornado import web

from onnxlab.server.refusal import Refusal

__all__ = ["local_file"]


async def local_file(contents: ContentsManager, path: str, /) -> Path:
    """Return the file behind a contents path, with symbolic links resolved.

    Raises
    ------
    Refusal
        If there is no such file, if it is hidden, or if it lies outside the folder that the
        server shows, be it through a symbolic link.
    """
    if not isinstance(contents, FileManagerMixin):
        raise Refusal(501, "onnxlab opens files on this server's disk only, and these are not")
    files: Any = contents  # its methods carry no types
    absent = Refusal(404, f"{path} does not exist")
    try:
        if not path or await _is_hidden(files, path):
            raise absent
        if not await ensure_async(files.file_exists(path)):
            raise absent
        resolved = Path(files._get_os_path(path)).resolve(strict=True)
        root = Path(files.root_dir).resolve(strict=True)
    except (web.HTTPError, OSError, ValueError) as error:
        raise absent from error
    if not resolved.is_relative_to(root):
        raise Refusal(403, f"{path} is a link to a place outside the folder that Jupyter shows")
    if await _is_hidden(files, resolved.relative_to(root).as_posix()):
        raise absent
    return resolved


async def _is_hidden(files: Any, path: str) -> bool:
    return not files.allow_hidden and bool(await ensure_async(files.is_hidden(path)))
