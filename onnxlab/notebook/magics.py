"""The magics: ``%onnx_show``, ``%onnx_profile`` and so on, one for each verb.

Their options are those of the command line; the first word is a file or a variable. A magic
returns its result, which the cell displays when it comes last; ``;`` or ``-q`` silences it.
Loading the extension imports nothing heavy: each magic imports what it needs when it is used.
"""

from __future__ import annotations

import keyword
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from onnxlab.errors import OnnxlabError
from onnxlab.verbs import VERBS

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["MagicError", "register"]


class MagicError(Exception):
    """What went wrong in a magic; IPython shows it as one line, and the cell fails."""

    def _render_traceback_(self) -> list[str]:
        return [f"onnxlab: {' '.join(str(self).split())}"]


def register(shell: InteractiveShell) -> None:
    """Give a shell the magics."""
    for verb in VERBS:
        magic = _magic(verb, shell)
        shell.magics_manager.register_function(magic, "line", f"onnx_{verb}")


def _magic(verb: str, shell: InteractiveShell) -> Callable[[str], object]:
    def magic(line: str) -> object:
        try:
            return _run(verb, line, shell)
        except KeyboardInterrupt:
            raise MagicError("interrupted") from None
        except (OnnxlabError, ValueError, TypeError) as error:
            raise MagicError(str(error)) from error

    magic.__doc__ = f"The verb `{verb}` of onnxlab; ``%onnx_{verb} --help`` lists its options."
    return magic


def _run(verb: str, line: str, shell: InteractiveShell) -> object:
    from IPython.utils.process import arg_split  # type: ignore[attr-defined]

    from onnxlab.verbs.commands import app_of, parse, run

    words = line.rstrip()
    is_silenced = words.endswith(";")
    tokens = arg_split(words.removesuffix(";"), posix=os.name == "posix")
    request = parse(app_of(verb, magic=True), tokens)
    if request is None:
        return None
    if request.var and (not request.var.isidentifier() or keyword.iskeyword(request.var)):
        raise ValueError(f"{request.var!r} cannot be the name of a variable")
    result = run(request, _source(request.source, shell))
    if request.var:
        shell.push({request.var: result})  # type: ignore[no-untyped-call]
    return None if request.quiet or is_silenced else result


def _source(word: str | None, shell: InteractiveShell) -> object:
    """Return the variable of that name, if there is one; nothing is evaluated."""
    namespace = cast("dict[str, object]", shell.user_ns)
    return namespace.get(word, word) if word is not None and word.isidentifier() else word
