"""The command line: ``onnxlab show|profile|optimize|report|providers``.

Exit codes: 0 all is well; 1 the model has errors, cannot be read or does not run; 2 wrong use;
130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnxlab import __version__
from onnxlab.errors import OnnxlabError
from onnxlab.verbs import VERBS

if TYPE_CHECKING:
    from cyclopts import App
    from rich.console import RenderableType

    from onnxlab.verbs.commands import Request

__all__ = ["main"]

_OK, _FAILED, _WRONG_USE, _INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    _let_all_text_through()
    try:
        return _main(tokens)
    except OnnxlabError as error:
        return _complain(str(error), _FAILED)
    except (ValueError, TypeError) as error:
        if _is_debugging():
            raise
        return _complain(str(error), _WRONG_USE)
    except KeyboardInterrupt:
        return _complain("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output has gone; Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _OK
    except OSError as error:
        if _is_debugging():
            raise
        what = f"{error.filename}: " if error.filename else ""
        return _complain(f"the system refuses: {what}{error.strerror or error}", _FAILED)
    except Exception as error:
        if _is_debugging():
            raise
        what = f"{type(error).__name__}: {error}"
        return _complain(f"this is a bug in onnxlab: {what} (ONNXLAB_DEBUG=1 shows where)", _FAILED)


def _let_all_text_through() -> None:
    """Write what the terminal's encoding lacks as a question mark, instead of failing on it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _main(tokens: list[str]) -> int:
    from onnxlab.verbs.commands import parse, run

    request = parse(_app(), tokens or ["--help"])
    if request is None:
        return _OK
    result = run(request, request.source)
    if not request.quiet:
        _show(request, result)
    return _exit_code(result)


def _app() -> App:
    from cyclopts import App

    from onnxlab.verbs.commands import app_of

    app = App(
        name="onnxlab",
        help="The workbench for ONNX models: see, measure, change, hand on.",
        version=__version__,
        result_action="return_value",
    )
    for verb in VERBS:
        app.command(app_of(verb))
    return app


def _show(request: Request, result: object) -> None:
    from rich.console import Console

    console = Console(soft_wrap=False, highlight=False)
    console.print(_renderable(request.verb, result))
    if request.out is not None:
        console.print(f"Wrote {request.out}", markup=False, soft_wrap=True)


def _renderable(verb: str, result: object) -> RenderableType:
    from onnxlab.render import console

    if verb == "report":
        return str(result)
    return console.view(getattr(result, "model", result) if verb == "show" else result)


def _exit_code(result: object) -> int:
    """Return 1 where the result has an error among its findings, or there is no result."""
    from onnxlab.analysis.finding import Severity
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.profiling.profile import Profile
    from onnxlab.verbs.report import ReportFile
    from onnxlab.verbs.show import View

    if isinstance(result, Optimization):
        return _FAILED if result.known_effect.error else _OK
    if isinstance(result, ReportFile):
        findings = result.profile.findings
    elif isinstance(result, Profile):
        findings = result.findings
    elif isinstance(result, View):
        findings = result.model.lint(checker=False)  # the checker only warns
    else:
        return _OK
    return _FAILED if any(f.severity is Severity.ERROR for f in findings) else _OK


def _complain(message: str, exit_code: int) -> int:
    sys.stderr.write(f"onnxlab: {' '.join(message.split())}\n")
    return exit_code


def _is_debugging() -> bool:
    return bool(os.environ.get("ONNXLAB_DEBUG"))
