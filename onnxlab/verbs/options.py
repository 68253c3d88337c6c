"""One definition of options per verb: a frozen dataclass that every host reads.

A verb is written as ``run(model, options, *, progress)`` under ``@verb(Options)``, which makes the
public function of it::

    @dataclass(frozen=True, slots=True, kw_only=True)
    class TimeOptions:
        '''Options of `time`, each described under "Attributes" as numpy docstrings do.'''

        runs: int = 10
        budget: Seconds = 10.0

    @verb(TimeOptions)
    def time(model: Model, options: TimeOptions, *, progress: Progress) -> Profile:
        '''Measure how long a model takes.'''

``time("m.onnx", runs=3, budget="2 s")`` loads the model, checks the keywords and shows progress
where the user is. `onnxlab.verbs.commands` reads the same dataclass for the command line and the
magics; the texts under "Attributes" become the help of all. Types of fields: ``int``, ``float``,
``bool``, ``str``, ``Literal``, those of `onnxlab.verbs.values`, and unions of one with ``None``.
A field with ``metadata={"api": True}`` is a keyword of the function only.

Modules of verbs import nothing heavy at their top: their options are read for ``--help``.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, Field, dataclass, fields
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from onnxlab import exits
from onnxlab.progress import Progress
from onnxlab.verbs.docs import attribute_texts, doc_with_parameters
from onnxlab.verbs.values import Bytes, Dims, File, Inputs, Names, Parsed, Seconds

if TYPE_CHECKING:
    from onnxlab.model.model import Model

__all__ = [
    "Bytes",
    "Dims",
    "File",
    "Inputs",
    "Names",
    "Option",
    "Seconds",
    "Verb",
    "as_model",
    "build",
    "options_of",
    "read",
    "verb",
]

_MODEL = "A model, or what `onnxlab.load` takes: a path, bytes, a ``ModelProto``."

O = TypeVar("O")  # noqa: E741
S_contra = TypeVar("S_contra", contravariant=True)
O_contra = TypeVar("O_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)


class Run(Protocol[S_contra, O_contra, T_co]):
    """What the author of a verb writes."""

    def __call__(self, source: S_contra, options: O_contra, /, *, progress: Progress) -> T_co: ...


class Verb(Protocol[T_co]):
    """What the user of a verb calls."""

    def __call__(  # noqa: D102
        self, source: object, /, *, progress: Progress | None = None, **keywords: object
    ) -> T_co: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a verb, as the hosts need it.

    Attributes
    ----------
    name
        The keyword; on a command line with hyphens.
    hint
        The type of its values, without ``None``.
    default
        What holds where it is not given.
    help
        What it does, in a sentence.
    parsed
        How text becomes its value, where it has a parser of its own.
    choices
        The values it can take, where they are few.
    api_only
        Whether it has no form on a command line.
    """

    name: str
    hint: Any
    default: object
    help: str
    parsed: Parsed | None
    choices: tuple[object, ...]
    api_only: bool

    def check(self, value: object) -> object:
        """Return a keyword's value as the options hold it, or raise ``ValueError``."""
        if value is None and self.default is None:
            return None
        try:
            return self._check(value)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error

    def _check(self, value: object) -> object:
        if self.parsed is not None:
            return self.parsed.parse(value)
        if self.choices and value not in self.choices:
            advice = _advice(str(value), map(str, self.choices))
            raise ValueError(f"{value!r} is not one of {', '.join(map(str, self.choices))}{advice}")
        wanted = float | int if self.hint is float else self.hint
        is_plain = self.hint in (bool, int, float, str)
        if is_plain and (
            not isinstance(value, wanted) or (isinstance(value, bool) and self.hint is not bool)
        ):
            raise ValueError(f"expected {self.hint.__name__}, got {value!r}")
        return value


def read(options_type: type) -> tuple[Option, ...]:
    """Return the options that a dataclass defines, in its order."""
    hints = get_type_hints(options_type, include_extras=True)
    texts: dict[str, str] = {}
    for cls in reversed(options_type.__mro__):
        texts |= dict(attribute_texts(cls.__doc__ or ""))
    return tuple(
        _option(field, hints[field.name], texts.get(field.name, ""))
        for field in fields(options_type)
    )


def _option(field: Field[object], hint: object, text: str) -> Option:
    default = field.default
    if default is MISSING:
        if field.default_factory is MISSING:
            raise TypeError(f"option {field.name} needs a default")
        default = field.default_factory()
    core, parsed = _unwrap(hint)
    return Option(
        name=field.name,
        hint=core,
        default=default,
        help=text,
        parsed=parsed,
        choices=get_args(core) if get_origin(core) is Literal else (),
        api_only=bool(field.metadata.get("api")),
    )


def _unwrap(hint: Any) -> tuple[Any, Parsed | None]:
    """Take ``None`` and ``Annotated`` off a type."""
    if get_origin(hint) is Annotated:
        core, *notes = get_args(hint)
        return core, next((note for note in notes if isinstance(note, Parsed)), None)
    if get_origin(hint) in (Union, UnionType):
        members = [member for member in get_args(hint) if member is not NoneType]
        if len(members) == 1:
            return _unwrap(members[0])
    return hint, None


def build(options_type: type[O], keywords: Mapping[str, object], *, verb: str = "") -> O:
    """Make options of keywords, or raise ``TypeError`` or ``ValueError`` with advice."""
    known = {option.name: option for option in read(options_type)}
    for name in keywords:
        if name not in known:
            advice = _advice(name, known)
            raise TypeError(f"{verb or options_type.__name__} has no option {name!r}{advice}")
    return options_type(**{name: known[name].check(value) for name, value in keywords.items()})


def _advice(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def verb(options_type: type[O], *, source: str = "") -> Callable[[Run[Any, O, T_co]], Verb[T_co]]:
    """Make the public function of a verb from its ``run(source, options, *, progress)``.

    Parameters
    ----------
    options_type
        The frozen dataclass of its options, each with a default.
    source
        What it takes in place of a model, as help tells it; where given, ``run`` gets the source
        as it was given, else a `Model`.
    """

    def decorate(run: Run[Any, O, T_co]) -> Verb[T_co]:
        name = cast("Callable[..., T_co]", run).__name__
        options = read(options_type)
        subject = "source" if source else "model"

        def call(
            given: object, /, *more: object, progress: Progress | None = None, **keywords: object
        ) -> T_co:
            if more:
                known = ", ".join(f"{option.name}=" for option in options)
                raise TypeError(f"{name} takes one {subject}; the rest is said by name: {known}")
            chosen = build(options_type, keywords, verb=name)
            with _reporting(progress) as report:
                return run(given if source else as_model(given), chosen, progress=report)

        call.__name__ = call.__qualname__ = name
        call.__module__ = run.__module__
        texts = [(subject, source or _MODEL), *((option.name, option.help) for option in options)]
        call.__doc__ = doc_with_parameters(run.__doc__ or "", texts)
        vars(call).update(options_type=options_type, __signature__=_signature(options, run))
        return call

    return decorate


def options_of(function: object) -> type:
    """Return the options' dataclass of a function made by `verb`."""
    return cast("type", vars(function)["options_type"])


def as_model(source: object) -> Model:
    """Return a `Model`, loading it unless it is one."""
    from onnxlab.model.load import load
    from onnxlab.model.model import Model

    return source if isinstance(source, Model) else load(cast("str", source))


def _reporting(progress: Progress | None) -> AbstractContextManager[Progress]:
    if progress is not None:
        return nullcontext(progress)
    return cast("AbstractContextManager[Progress]", exits.call("progress.default"))


def _accepted(option: Option) -> Any:
    """Return the type of what a keyword takes: text, too, where the option has a parser."""
    hint = option.hint if option.parsed is None else option.hint | str
    return hint | None if option.default is None and hint is not Any else hint


def _signature(options: tuple[Option, ...], run: object) -> inspect.Signature:
    written = inspect.signature(cast("Callable[..., object]", run))
    source = next(iter(written.parameters.values()))
    keywords = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option.default,
            annotation=_accepted(option),
        )
        for option in options
    ]
    progress = inspect.Parameter(
        "progress", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Progress | None
    )
    positional = source.replace(
        kind=inspect.Parameter.POSITIONAL_ONLY, annotation=inspect.Parameter.empty
    )
    return inspect.Signature(
        [positional, *keywords, progress], return_annotation=written.return_annotation
    )
