from __future__ import annotations

from dataclasses import replace

from onnxlab.profiling.machine import (
    Disturbance,
    disturbance_notes,
    read_disturbance,
    read_machine,
)


def test_this_machine_has_a_processor_memory_and_versions() -> None:
    machine = read_machine(python="3.11.2", onnxruntime="1.31.0")
    assert machine.cpu
    assert machine.logical_cores >= machine.affinity >= 1
    assert machine.memory_bytes > 1 << 20
    assert machine.onnx
    assert (machine.python, machine.onnxruntime) == ("3.11.2", "1.31.0")


def test_a_quiet_measurement_has_no_notes() -> None:
    machine = read_machine(python="", onnxruntime="")
    quiet = Disturbance(throttled=4, load=0.2)
    assert disturbance_notes(quiet, quiet, machine=machine) == ()
    assert read_disturbance().load >= 0


def test_throttling_and_load_are_said() -> None:
    machine = replace(read_machine(python="", onnxruntime=""), affinity=2, quota_cores=None)
    notes = disturbance_notes(
        Disturbance(throttled=4, load=0.2), Disturbance(throttled=7, load=5.31), machine=machine
    )
    assert notes == (
        "The CPU quota stopped the process 3 times while measuring.",
        "The machine was busy: load average 5.3 on 2 cores.",
    )
