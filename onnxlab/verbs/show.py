"""``show``: a model's graph, to look at."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnxlab import exits
from onnxlab.progress import Progress
from onnxlab.verbs.options import verb

if TYPE_CHECKING:
    from onnxlab.model.model import Model
    from onnxlab.notebook.graph_widget import GraphWidget

__all__ = ["ShowOptions", "View", "show"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """How to show a model.

    Attributes
    ----------
    metrics
        Numbers per node (a DataFrame, a Series or a mapping, by address or name) to colour by.
    colour_by
        The metric by which nodes are coloured at first.
    height
        Height of the view in pixels.
    """

    metrics: Any = field(default=None, metadata={"api": True})
    colour_by: str | None = None
    height: int = 480


class View:
    """A model's graph as it is shown: displays as an interactive widget in a notebook.

    Attributes
    ----------
    model
        The model.
    options
        How it is shown.
    """

    def __init__(self, model: Model, options: ShowOptions) -> None:
        self.model = model
        self.options = options

    @cached_property
    def widget(self) -> GraphWidget:
        """The widget behind the view, for its traits."""
        widget: GraphWidget = exits.call("View.widget", self)
        return widget

    @property
    def selection(self) -> list[str]:
        """Addresses of the selected nodes."""
        return self.widget.selection

    def select(self, *addresses: str) -> None:
        """Select nodes by their addresses."""
        self.widget.select(*addresses)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the graph as one self-contained HTML file and return its path."""
        from onnxlab.render.html import write_graph

        options = self.options
        return write_graph(self.model, path, metrics=options.metrics, colour_by=options.colour_by)

    def __repr__(self) -> str:
        return f"<View of {self.model.name}: {self.model.summary}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> object:
        return exits.call("View._repr_mimebundle_", self, include, exclude)


@verb(ShowOptions)
def show(model: Model, options: ShowOptions, *, progress: Progress) -> View:
    """Show a model's graph; nothing is run.

    Returns
    -------
    View
        Displays as an interactive graph; its ``selection`` follows the user's.
    """
    if options.height < 1:
        raise ValueError(f"height is {options.height}: it must be 1 pixel or more")
    progress(f"opening {model.name}")
    if options.colour_by is not None:
        _check_metric(model, options)
    return View(model, options)


def _check_metric(model: Model, options: ShowOptions) -> None:
    from onnxlab.wire.build import view_document

    document = view_document(model, metrics=options.metrics, findings=())
    known = [metric.key for metric in document.metrics]
    if options.colour_by not in known:
        raise ValueError(
            f"there is no number {options.colour_by!r} to colour by: there are {', '.join(known)}"
        )
