from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.mapping.origin import Fate, Insertion, KernelOrigin, OriginKind
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import InputFacts, Profile

Make = Callable[..., Profile]


def by_code(profile: Profile) -> dict[str, Finding]:
    return {finding.code: finding for finding in profile.findings}


def scaled(cell: Cell, times_us: list[int]) -> Cell:
    return replace(cell, self_us=np.array([times_us] * 10, np.int64))


def test_the_nodes_that_take_half_of_the_time_are_named(make_profile: Make, cell: Cell) -> None:
    finding = by_code(make_profile(cell))["hot-nodes"]
    assert finding.hazard == (
        "57.1 % of the kernel time goes to 1 of 4 regions: Gemm+Relu /layers.0/gemm (60.0 µs)."
    )
    assert finding.addresses == ("0",)


def test_inserted_kernels_name_whom_they_serve(make_profile: Make, cell: Cell) -> None:
    finding = by_code(make_profile(cell))["inserted-layout"]
    assert "costs 10.0 µs, 9.52 % of the kernel time, in 1 kernel" in finding.hazard
    assert finding.addresses == ("2",)
    assert finding.saving_us is None


def test_findings_with_a_known_saving_come_first_and_the_largest_of_them(
    make_profile: Make, cell: Cell
) -> None:
    def inserted(kind: Insertion) -> KernelOrigin:
        return KernelOrigin(kind=OriginKind.INSERTED, owner=2, insertion=kind)

    first, second, *rest = cell.kernels
    kernels = (
        replace(first, origin=inserted(Insertion.SHAPE)),
        replace(second, origin=inserted(Insertion.CAST)),
        *rest,
    )
    profile = make_profile(scaled(replace(cell, kernels=kernels), [20, 30, 40, 0]))
    assert [finding.code for finding in profile.findings][:2] == ["inserted-cast", "inserted-shape"]
    assert [finding.saving_us for finding in profile.findings][:2] == [30, 20]


def test_what_failed_comes_before_everything(make_profile: Make, cell: Cell) -> None:
    finding = make_profile(cell, Cell(label="cuda", error="it is not here")).findings[0]
    assert finding.severity is Severity.ERROR
    assert finding.hazard == "cuda failed: it is not here."


def test_time_that_could_not_be_attributed_is_said(make_profile: Make, cell: Cell) -> None:
    assert "5.00 µs" in by_code(make_profile(cell))["unattributed-time"].hazard


def test_a_model_that_runs_only_unoptimised_is_said(make_profile: Make, cell: Cell) -> None:
    finding = by_code(make_profile(replace(cell, level="none")))["optimisation-fails"]
    assert "fails on this model at level 'all'" in finding.hazard


@pytest.mark.parametrize(
    ("times_us", "text"),
    [([60, 10, 30, 0], "50.0 µs of a run lies outside"), ([300, 10, 30, 0], "190 µs more than")],
)
def test_the_rest_of_the_wall_time_is_explained_in_both_directions(
    make_profile: Make, cell: Cell, times_us: list[int], text: str
) -> None:
    finding = by_code(make_profile(scaled(cell, times_us)))["runtime-residual"]
    assert text in finding.hazard


def test_tiny_kernels_are_counted(make_profile: Make, cell: Cell) -> None:
    assert "tiny-kernels" not in by_code(make_profile(cell))
    finding = by_code(make_profile(scaled(cell, [3, 1, 2, 1])))["tiny-kernels"]
    assert finding.hazard.startswith("4 of 4 kernels take less than 5.00 µs each, together 100 %")


def test_slow_starts_are_said(make_profile: Make, cell: Cell) -> None:
    slow = replace(cell.sessions[1], load_ns=2_000_000_000, first_run_ns=30_000_000)
    found = by_code(make_profile(replace(cell, sessions=(slow, slow))))
    assert found["slow-first-run"].hazard == "The first run takes 30.0 ms, a steady one 150 µs."
    assert found["slow-load"].hazard == "Making a session takes 2.00 s."


def test_a_model_that_did_not_get_its_core_is_said(make_profile: Make, cell: Cell) -> None:
    session = replace(cell.sessions[1], cpu_ns=cell.sessions[1].run_ns // 2)
    found = by_code(make_profile(replace(cell, sessions=(session, session))))
    assert "a core for only 50.0 % of the time" in found["preempted"].hazard
    assert "runtime-residual" not in found


def test_fates_that_matter_are_counted(make_profile: Make, cell: Cell) -> None:
    fates = (Fate.EXECUTED, Fate.FOLDED, Fate.NOT_EXECUTED, Fate.NOT_EXECUTED)
    found = by_code(make_profile(replace(cell, fates=fates)))
    assert found["folded-nodes"].addresses == ("1",)
    assert found["not-executed"].hazard == "No run reached 2 nodes."


def test_kernels_that_ran_on_another_provider_are_counted(make_profile: Make, cell: Cell) -> None:
    kernels = tuple(
        replace(kernel, provider="FastExecutionProvider") for kernel in cell.kernels[:3]
    )
    mixed = replace(
        cell, label="fast", provider="FastExecutionProvider", kernels=(*kernels, cell.kernels[3])
    )
    found = by_code(make_profile(mixed))
    assert found["provider-fallback"].hazard == (
        "1 of 4 kernels asked for on fast ran elsewhere, in 5.00 µs."
    )


def test_guessed_inputs_and_notes_are_passed_on_once(make_profile: Make, cell: Cell) -> None:
    noted = replace(cell, notes=("The machine was busy.",))
    inputs = InputFacts(values=(), dims={}, guessed=tuple(f"d{i} = 1" for i in range(5)))
    profile = replace(make_profile(noted, replace(noted, label="other")), inputs=inputs)
    hazards = [finding.hazard for finding in profile.findings]
    assert "Sizes and values were guessed: d0 = 1; d1 = 1; d2 = 1; and 2 more." in hazards
    assert hazards.count("The machine was busy.") == 1


def test_findings_of_the_model_follow(make_profile: Make, cell: Cell) -> None:
    lint = Finding(code="lint", severity=Severity.ERROR, hazard="h")
    assert replace(make_profile(cell), lint=(lint,)).findings[-1] is lint


def test_of_the_model_nothing_is_told_that_needs_no_change(make_profile: Make, cell: Cell) -> None:
    lint = tuple(Finding(code=str(level), severity=level, hazard="h") for level in Severity)
    profile = replace(make_profile(cell), lint=lint)
    told = [finding.code for finding in profile.findings if finding in lint]
    assert told == ["error", "warning"]
