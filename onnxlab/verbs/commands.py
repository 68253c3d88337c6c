"""The verbs as commands: one cyclopts app for the command line, the same for each magic.

What a line says becomes a `Request`; the hosts run it and show the result in their own way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter, UnusedCliTokensError

from onnxlab.verbs import VERBS
from onnxlab.verbs.files import check_target, write_result
from onnxlab.verbs.options import Option, options_of, read
from onnxlab.verbs.values import Parsed, parse_file

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Request", "app_of", "parse", "run"]

_SOURCES = {
    "show": "A model: a file.",
    "profile": "A model: a file.",
    "optimize": "A model: a file.",
    "report": "A model, or a saved profile (.onnxprof): a file.",
}
_OUT = {
    "show": "Write the graph as a page (.html).",
    "profile": "Write a report (.html), the profile (.onnxprof) or its tables (.json).",
    "providers": "Write the list (.json).",
}
_SHORT = {"out": "-o", "var": "-v", "quiet": "-q"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a line asks for.

    Attributes
    ----------
    verb
        One of `onnxlab.verbs.VERBS`.
    source
        What it is about, as it was written; None for a verb that needs nothing.
    keywords
        Options that were given.
    out
        File to write the result to; None for the verbs that have ``out`` among their options.
    var
        Name of the variable to store the result in.
    quiet
        Whether to show nothing.
    """

    verb: str
    source: str | None
    keywords: Mapping[str, object]
    out: Path | None = None
    var: str = ""
    quiet: bool = False


def run(request: Request, source: object) -> object:
    """Do what a line asks for and write the file it names.

    Parameters
    ----------
    request
        What to do.
    source
        What ``request.source`` stands for: a path, or an object of the notebook.
    """
    if request.out is not None:
        check_target(request.verb, request.out, source)
    function = _function(request.verb)
    result: object = function() if request.source is None else function(source, **request.keywords)
    if request.out is not None:
        write_result(request.verb, result, request.out)
    return result


def _function(verb: str) -> Callable[..., object]:
    return cast("Callable[..., object]", getattr(import_module(f"onnxlab.verbs.{verb}"), verb))


def parse(app: App, tokens: Sequence[str], *, console: Console | None = None) -> Request | None:
    """Return what a line asks for; None where it asked for help or the version, now printed.

    Raises
    ------
    ValueError
        The line is wrong; one line says how.
    """
    try:
        answer = app(
            list(tokens),
            exit_on_error=False,
            print_error=False,
            console=console,
            result_action="return_value",
        )
    except CycloptsError as error:
        raise ValueError(_what_is_wrong(error)) from error
    return answer if isinstance(answer, Request) else None


def _what_is_wrong(error: CycloptsError) -> str:
    argument = error.argument
    if isinstance(error, MissingArgumentError) and argument is not None:
        text = str(argument.parameter.help or "")
        if argument.name == "SOURCE":
            return f"give it {text[:1].lower()}{text[1:].removesuffix('.')}; --help says more"
    if isinstance(error, UnusedCliTokensError):
        words = " ".join(error.unused_tokens or ())
        return f"{words!r} is more than it takes; --help says what it takes"
    return " ".join(str(error).split())


@cache
def app_of(verb: str, *, magic: bool = False) -> App:
    """Return the app of one verb."""
    name = f"%onnx_{verb}" if magic else verb
    position = VERBS.index(verb)
    app = App(name=name, version_flags=[], result_action="return_value", sort_key=position)
    app["--help"].group = app.group_parameters
    app.default(_command(verb, magic=magic))
    return app


def _summary(verb: str) -> str:
    doc = inspect.getdoc(_function(verb)) or ""
    return doc.partition("\n")[0]


def _command(verb: str, *, magic: bool) -> Callable[..., Request]:
    """Return a function whose signature is the verb's and which only notes its arguments."""
    options = _options(verb)
    own = {option.name for option in options}
    has_source = verb in _SOURCES

    def command(*source: str, **keywords: Any) -> Request:
        common = {
            name: keywords.pop(name) for name in _SHORT if name in keywords and name not in own
        }
        return Request(verb=verb, source=source[0] if source else None, keywords=keywords, **common)

    parameters = [_source(verb, magic=magic)] if has_source else []
    parameters += [_parameter(option) for option in options]
    parameters += [_parameter(option) for option in _common(verb, magic) if option.name not in own]
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = _summary(verb)
    return command


def _options(verb: str) -> list[Option]:
    if verb not in _SOURCES:
        return []
    return [option for option in read(options_of(_function(verb))) if not option.api_only]


def _common(verb: str, magic: bool) -> list[Option]:
    def option(name: str, hint: object, default: object, text: str, **more: Any) -> Option:
        settings = {"parsed": None, "choices": (), "api_only": False} | more
        return Option(name=name, hint=hint, default=default, help=text, **settings)

    out = option("out", Path, None, _OUT.get(verb, ""), parsed=Parsed(parse_file, "FILE"))
    quiet = option("quiet", bool, False, "Show nothing.")
    var = option("var", str, "", "Store the result in this variable.")
    return [out, var, quiet] if magic else [out, quiet]


def _source(verb: str, *, magic: bool) -> inspect.Parameter:
    text = _SOURCES[verb].replace("a file", "a file or a variable") if magic else _SOURCES[verb]
    return inspect.Parameter(
        "source",
        inspect.Parameter.POSITIONAL_ONLY,
        annotation=Annotated[str, Parameter(help=text, show_default=False)],
    )


def _parameter(option: Option) -> inspect.Parameter:
    names = [f"--{option.name.replace('_', '-')}", *filter(None, [_SHORT.get(option.name)])]
    settings: dict[str, Any] = {"name": names, "help": option.help}
    hint: Any = option.hint
    if option.parsed is not None:
        hint = tuple[str, ...] if option.parsed.repeats else str
        settings |= {
            "converter": _converter(option.parsed.parse),
            "show_default": False,
            "negative": "",
        }
        settings["metavar"] = option.parsed.example
    if option.default is None:
        hint = hint | None
    if hint is bool and option.name in _SHORT:
        settings["negative"] = ""
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default,
        annotation=Annotated[hint, Parameter(**settings)],
    )


def _converter(parse: Callable[[object], object]) -> Callable[[Any, Sequence[Any]], object]:
    def convert(_type: Any, tokens: Sequence[Any]) -> object:
        return parse(",".join(token.value for token in tokens))

    return convert
