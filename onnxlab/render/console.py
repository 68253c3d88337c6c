"""Results and progress in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from onnxlab.progress import Progress

if TYPE_CHECKING:
    from onnxlab.analysis.finding import Finding
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.model import Model
    from onnxlab.profiling.profile import Profile
    from onnxlab.runtime.providers import Providers

__all__ = ["findings_text", "terminal_progress", "view"]

_ROWS = 20
_NAME_CHARACTERS = 48
_FAILURE = "failed: see below"
_STYLES = {"error": "bold red", "warning": "yellow", "info": "blue"}


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """Show a bar on the standard error, which goes at the end."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(message: str, done: int = 0, total: int = 0) -> None:
            bar.update(task, description=message, completed=done, total=total or None)

        yield report


def view(result: object) -> RenderableType:
    """Return what a terminal shows of a model, a profile, an optimization or providers."""
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.model import Model
    from onnxlab.profiling.profile import Profile
    from onnxlab.runtime.providers import Providers

    match result:
        case Model():
            return _model(result)
        case Profile():
            return _profile(result)
        case Optimization():
            return _optimization(result)
        case Providers():
            return _providers(result)
        case _:
            return Text(repr(result))


def _model(model: Model) -> RenderableType:
    """Return a model's line, its findings and its operators."""
    from collections import Counter

    from onnxlab.model.text import visible

    table = model.table
    counts = Counter(visible(table.op(row)) for row in range(table.node_count))
    operators = _table("operator", ("nodes", "right"))
    for operator, count in counts.most_common(_ROWS):
        operators.add_row(Text(operator), f"{count:,}")
    return Group(
        _headline(visible(model.name), model.summary),
        *_section(findings_text(model.lint())),
        Text(),
        operators,
        *_more(len(counts), "operators"),
    )


def _profile(profile: Profile) -> RenderableType:
    """Return a profile's line, what to do, and the costliest regions."""
    from onnxlab.model.text import visible
    from onnxlab.profiling.describe import cell_line

    # The reason of a failure is the first finding.
    lines = "\n".join(cell_line(profile, cell, failure=_FAILURE) for cell in profile.cells)
    return Group(
        _headline(visible(profile.model.name), profile.model.summary),
        Text(lines),
        *_section(findings_text(profile.findings)),
        *_regions(profile),
    )


def _regions(profile: Profile) -> list[RenderableType]:
    from onnxlab.model.text import visible
    from onnxlab.profiling.quantity import format_share, format_us

    frame = profile.regions
    if frame.empty:
        return []
    table = _table("address", "node", "ran as", "provider", ("time", "right"), ("share", "right"))
    rows = {address: row for row, address in enumerate(profile.model.addresses)}
    for region in frame.nlargest(_ROWS, "time_us").to_dict("records"):
        address = region["lead"] or region["owner"]
        name = _end(visible(profile.model.table.name(rows[address]))) if address in rows else ""
        ran_as = f"{region['region']} (inserted)" if region["owner"] else region["region"]
        table.add_row(
            Text(address),
            Text(name),
            Text(ran_as),
            Text(region["provider"]),
            format_us(region["time_us"]),
            format_share(region["share"]),
        )
    return [Text(), table, *_more(len(frame), "regions")]


def _optimization(optimization: Optimization) -> RenderableType:
    """Return the passes that act on the model, and the effect of the enabled ones."""
    from onnxlab.model.text import visible

    passes = optimization.passes
    acting = passes[passes["acts"]]
    table = _table("on", "pass", "level", ("nodes", "right"), "what it does")
    for row in acting.to_dict("records"):
        mark = "✓" if row["enabled"] else "·"
        delta = row["delta_nodes"]
        delta = f"{delta:+d}" if isinstance(delta, int) else row["note"]
        table.add_row(mark, row["id"], str(row["level"]), delta, row["description"])
    effect = _table("", ("all off", "right"), ("now", "right"), "change")
    for what, before, after, change in optimization.known_effect.rows:
        effect.add_row(what, before, after, Text(visible(change)))
    return Group(
        _headline(visible(optimization.model.name), f"{len(acting)} of {len(passes)} passes act"),
        Text(),
        table,
        Text(),
        effect,
    )


def _providers(providers: Providers) -> RenderableType:
    """Return what can run here and, where not, why not and what to install."""
    table = _table("provider", "usable", "", "to install")
    for provider in providers:
        remark = f"onnxruntime {provider.version}" if provider.usable else provider.reason
        usable = Text("yes", "green") if provider.usable else Text("no", "dim")
        install = "" if provider.usable else provider.install
        table.add_row(Text(provider.name), usable, Text(remark), Text(install))
    return table


def findings_text(findings: Iterable[Finding]) -> Text:
    """Return findings as sentences, one paragraph each."""
    text = Text()
    for finding in findings:
        text.append(f"{finding.severity} ", _STYLES[finding.severity])
        text.append(finding.hazard)
        if finding.remedy:
            text.append(f" {finding.remedy}", "italic")
        text.append("\n")
    text.rstrip()
    return text


def _headline(name: str, rest: str) -> Text:
    return Text.assemble((name, "bold"), f" · {rest}" if rest else "")


def _section(text: Text) -> list[RenderableType]:
    return [Text(), text] if text else []


def _more(count: int, what: str) -> list[RenderableType]:
    return [Text(f"… and {count - _ROWS:,} more {what}", "dim")] if count > _ROWS else []


def _end(name: str) -> str:
    """Keep the end of a long name, which tells nodes apart."""
    return name if len(name) <= _NAME_CHARACTERS else f"…{name[1 - _NAME_CHARACTERS :]}"


def _table(*columns: str | tuple[str, JustifyMethod]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        if isinstance(column, str):
            table.add_column(column)
        else:
            table.add_column(column[0], justify=column[1])
    return table
