"""The vocabulary of the join: where a kernel comes from and what became of an original node."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Fate", "Insertion", "KernelOrigin", "OriginKind", "Provenance"]


class OriginKind(StrEnum):
    """Every executed kernel ends in exactly one of these."""

    NODE = "node"  # runs exactly one original node
    REGION = "region"  # runs several original nodes as one (or several kernels run them together)
    INSERTED = "inserted"  # put in by the runtime; has an owner
    UNATTRIBUTED = "unattributed"


class Insertion(StrEnum):
    """The closed list of what a runtime inserts."""

    LAYOUT = "layout"  # ReorderInput/Output, Transpose, Reshape for another memory layout
    CAST = "cast"  # a precision change
    COPY = "copy"  # Memcpy between devices
    QUANTIZE = "quantize"  # an added QuantizeLinear/DequantizeLinear
    SHAPE = "shape"  # an added Squeeze, Unsqueeze, Reshape, Expand, Identity


class Fate(StrEnum):
    """What became of an original node."""

    EXECUTED = "executed"  # a kernel of its own
    REGION = "region"  # inside a region with others
    FOLDED = "folded"  # computed when the session was made
    ELIMINATED = "eliminated"  # removed as without effect (Identity, no-op Cast, ...)
    DEDUPLICATED = "deduplicated"  # an equal node stands for it
    INLINED = "inlined"  # replaced by its body: a function call, an If of constant condition
    DEAD = "dead"  # reaches no output
    NOT_EXECUTED = "not executed"  # present, but no run reached it (an untaken branch)
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOrigin:
    """Where one node of the optimised model comes from.

    Attributes
    ----------
    kind
        See `OriginKind`.
    nodes
        Sorted rows (of the original `GraphTable`) it covers; one for NODE, several for REGION,
        none otherwise.
    lead
        The row on which the region's time stands: its costliest kind of operator.
    owner
        For INSERTED: the row of the original node on whose behalf it was inserted.
    insertion
        For INSERTED: which kind.
    evidence
        How it was found: ``tag``, ``tensor-name``, ``node-name``, ``slice``, ...
    """

    kind: OriginKind
    nodes: tuple[int, ...] = ()
    lead: int | None = None
    owner: int | None = None
    insertion: Insertion | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The join of an original with an optimised model.

    Attributes
    ----------
    origins
        One per row of the optimised model's `GraphTable`.
    fates
        One per row of the original model's `GraphTable`, before any run is seen: EXECUTED and
        REGION mean "has a kernel"; a profile refines them to NOT_EXECUTED.
    """

    origins: tuple[KernelOrigin, ...]
    fates: tuple[Fate, ...]
