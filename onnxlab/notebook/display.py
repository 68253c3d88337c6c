"""How results display in a notebook.

Each bundle has the interactive view, a plain table as ``text/html`` and a line as ``text/plain``.
The table is what a saved notebook shows where no kernel runs; it has neither scripts nor style,
so it stays when a notebook is not trusted. What IPython asks to include or leave out is advice
that every bundle does without.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from onnxlab.errors import OnnxlabError
from onnxlab.notebook.progress import in_notebook
from onnxlab.render import fragments

if TYPE_CHECKING:
    import ipywidgets

    from onnxlab.analysis.finding import Findings
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.model import Model
    from onnxlab.notebook.chart_widget import ChartWidget
    from onnxlab.notebook.graph_widget import GraphWidget
    from onnxlab.notebook.page_widget import PageWidget
    from onnxlab.profiling.profile import Profile
    from onnxlab.verbs.show import View

__all__ = [
    "findings_bundle",
    "model_bundle",
    "optimization_bundle",
    "profile_bundle",
    "view_bundle",
    "view_widget",
]

Bundle = dict[str, Any]

_CHART_HEIGHT_PX = 360


def model_bundle(model: Model, *_: object, **__: object) -> Bundle:
    """Return a model's graph."""
    widget = _graph(model) if in_notebook() else None
    return _bundle(widget, fragments.model(model), repr(model))


def view_bundle(view: View, *_: object, **__: object) -> Bundle:
    """Return a view's graph."""
    widget = view.widget if in_notebook() else None
    return _bundle(widget, fragments.model(view.model), repr(view))


def view_widget(view: View) -> GraphWidget:
    """Return the widget of a view."""
    options = view.options
    return _graph(
        view.model, metrics=options.metrics, colour_by=options.colour_by, height=options.height
    )


def profile_bundle(profile: Profile, *_: object, **__: object) -> Bundle:
    """Return a profile's findings, chart, graph with heat and table."""
    widget = _profile_widget(profile) if in_notebook() else None
    return _bundle(widget, fragments.profile(profile), repr(profile))


def optimization_bundle(optimization: Optimization, *_: object, **__: object) -> Bundle:
    """Return the switches of the passes, with their effect."""
    widget = None
    if in_notebook():
        from onnxlab.notebook.passes_widget import PassesWidget

        widget = PassesWidget(optimization)
    return _bundle(widget, fragments.optimization(optimization), repr(optimization))


def findings_bundle(findings: Findings, *_: object, **__: object) -> Bundle:
    """Return findings as a list."""
    return _bundle(None, fragments.findings(findings), repr(findings))


def _bundle(widget: ipywidgets.DOMWidget | None, html: str, plain: str) -> Bundle:
    shown = {} if widget is None else _widget_data(widget)
    return {**shown, "text/html": html, "text/plain": plain}


def _widget_data(widget: ipywidgets.DOMWidget) -> Bundle:
    data = widget._repr_mimebundle_()
    return dict(data[0] if isinstance(data, tuple) else data or {})


def _graph(
    model: Model, *, profile: Profile | None = None, metrics: Any = None, **traits: Any
) -> GraphWidget:
    from onnxlab.notebook.graph_widget import GraphWidget
    from onnxlab.wire.build import encode, view_document

    document = view_document(model, profile=profile, metrics=metrics)
    return GraphWidget(model, document=encode(document), **traits)


def _profile_widget(profile: Profile) -> ipywidgets.DOMWidget:
    import ipywidgets

    views: list[PageWidget] = []
    if any(cell.is_attributed for cell in profile.cells):
        views.append(_chart(profile))
    with suppress(OnnxlabError):  # the file has gone or changed: there is no graph to ask about
        model = _model_of(profile)
        views.append(_graph(model, profile=profile, colour_by=_heat(profile)))
    if len(views) == 2:  # in the page, so that it also holds while the kernel is busy
        ipywidgets.jslink(*((view, "selected") for view in views))
    head, table = (
        ipywidgets.HTML(fragments.styled(part(profile)))
        for part in (fragments.profile_head, fragments.profile_table)
    )
    return ipywidgets.VBox([head, *views, table])


def _chart(profile: Profile) -> ChartWidget:
    from onnxlab.notebook.chart_widget import ChartWidget
    from onnxlab.render.figures import page_figure

    figure = page_figure(profile, height_px=_CHART_HEIGHT_PX)
    return ChartWidget(figure, height=_CHART_HEIGHT_PX)


def _heat(profile: Profile) -> str | None:
    labels = [cell.label for cell in profile.cells if cell.is_attributed]
    return f"time.{labels[0]}" if labels else None


def _model_of(profile: Profile) -> Model:
    from onnxlab.model.load import load

    if not profile.model.path:
        raise OnnxlabError("the model was given in memory")
    model = load(profile.model.path)
    if tuple(model.addresses.nodes()) != profile.model.addresses:
        raise OnnxlabError("the file holds another model by now")
    return model
