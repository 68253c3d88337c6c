"""What a choice of passes does to a model, as a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnxlab.experiments.agreement import Agreement
from onnxlab.experiments.latency import Latency
from onnxlab.experiments.ratio import MIN_ROUNDS, Ratio, Verdict
from onnxlab.passes.ort import Variant
from onnxlab.passes.save import Saved
from onnxlab.profiling.quantity import format_bytes, format_us

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Effect", "operator_frame", "ratio_text", "signed"]


_BEFORE_PASSES = "before any pass, Constants become weights and functions are inlined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A variant against the same model with all passes off.

    Attributes
    ----------
    baseline
        The model with all passes off; ONNX Runtime lifts constants and inlines functions even
        then.
    whole
        The model with the preset from which passes were switched off.
    variant
        The model with these passes.
    agreement
        Whether the outputs agree; None where that was not measured.
    latency
        How fast it is; None where that was not measured.
    saved
        Where the variant was saved, and what to know about that.
    original_nodes
        How many nodes the original has; None where that is not known.
    """

    baseline: Variant
    whole: Variant
    variant: Variant
    agreement: Agreement | None = None
    latency: Latency | None = None
    saved: tuple[Saved, ...] = ()
    original_nodes: int | None = None

    @property
    def name(self) -> str:
        """The passes, in short."""
        return self.variant.pipeline.name

    @property
    def error(self) -> str:
        """Why there is no such model; empty where there is one."""
        return self.variant.error

    @property
    def rows(self) -> tuple[tuple[str, str, str, str], ...]:
        """The effect as text: what, before, after, change; interface changes first."""
        if self.error:
            return (("result", "", "", f"failed: {self.error}"),)
        before, after = self.baseline, self.variant
        interface = after.interface or ("unchanged",)
        rows = [("interface", "", "", change) for change in interface]
        if before.error:
            rows.append(("all passes off", "", "", f"failed: {before.error}"))
            rows.append(("nodes", "", str(after.node_count), ""))
            rows.append(("size on disk", "", format_bytes(after.size_bytes), ""))
        else:
            change = signed(after.node_count - before.node_count)
            rows.append(("nodes", str(before.node_count), str(after.node_count), change))
            if self.original_nodes not in (None, before.node_count):
                rows.append(("original", "", "", f"{self.original_nodes} nodes: {_BEFORE_PASSES}"))
            rows.append(_size_row(before, after))
        rows += self._measured_rows()
        for saved in self.saved:
            rows.append(("saved", "", "", str(saved.path)))
            rows += [("", "", "", note) for note in saved.notes]
        return tuple(rows)

    @property
    def frame(self) -> pd.DataFrame:
        """`rows` as a DataFrame, indexed by what they are about."""
        import pandas as pd

        columns = ["quantity", "before", "after", "change"]
        return pd.DataFrame(list(self.rows), columns=columns).set_index("quantity")

    @property
    def operators(self) -> pd.DataFrame:
        """Nodes by operator before and after, largest change first."""
        return operator_frame(self.baseline, self.variant)

    def _measured_rows(self) -> list[tuple[str, str, str, str]]:
        rows = []
        if self.latency is not None:
            latency = self.latency
            load, run = _ns_text(latency.load_ns), _ns_text(latency.run_ns)
            rows.append(("session creation", _ns_text(latency.baseline_load_ns), load, ""))
            off = ratio_text(latency.to_baseline, is_final=bool(latency.stopped))
            rows.append(("latency", _ns_text(latency.baseline_run_ns), run, off))
            if self.whole.pipeline != self.variant.pipeline:
                to = f"latency to {self.whole.pipeline.name}"
                text = ratio_text(latency.to_preset, is_final=bool(latency.stopped))
                rows.append((to, "", "", "it does not run" if self.whole.error else text))
        if self.agreement is not None:
            rows.append(("outputs", "", "", str(self.agreement)))
        return rows

    def __repr__(self) -> str:
        lines = [f"{self.name}, against all passes off"]
        for what, before, after, change in self.rows:
            numbers = f"{before or '?'} → {after}" if before or after else ""
            lines.append(f"  {what:<18}{numbers:<24}{change}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(escape=True))


def ratio_text(ratio: Ratio | None, *, is_final: bool) -> str:
    """Return a ratio with its interval and verdict in words."""
    if ratio is None:
        return "not measured" if is_final else "measuring …"
    if ratio.rounds == 0:
        return "same: the graph is the same"
    text = f"{ratio.value:.2f}× ({ratio.low:.2f}-{ratio.high:.2f})"
    if ratio.rounds < MIN_ROUNDS:
        return f"{text}, too few rounds: {ratio.rounds} of {MIN_ROUNDS}"
    if ratio.verdict is Verdict.UNDECIDED:
        return f"{text}, no difference found"
    return f"{text}, {ratio.verdict}"


def operator_frame(before: Variant, after: Variant) -> pd.DataFrame:
    """Return nodes by operator of two variants, largest change first."""
    import pandas as pd

    frame = pd.DataFrame(
        {"before": pd.Series(dict(before.counts)), "after": pd.Series(dict(after.counts))}
    )
    frame = frame.fillna(0).astype(int)
    frame["change"] = frame["after"] - frame["before"]
    frame.index.name = "operator"
    order = frame["change"].abs().sort_values(ascending=False, kind="stable").index
    return frame.loc[order]


def signed(number: int) -> str:
    """Return a change with its sign: ``+3``, ``−147``, ``0``."""
    return f"{number:+,d}".replace("-", "−") if number else "0"


def _size_row(before: Variant, after: Variant) -> tuple[str, str, str, str]:
    percent = 100 * (after.size_bytes / before.size_bytes - 1) if before.size_bytes else 0.0
    text = f"{percent:+.1f} %".replace("-", "−") if abs(percent) >= 0.05 else "0"
    return ("size on disk", format_bytes(before.size_bytes), format_bytes(after.size_bytes), text)


def _ns_text(time_ns: float | None) -> str:
    return "?" if time_ns is None else format_us(time_ns / 1e3)
