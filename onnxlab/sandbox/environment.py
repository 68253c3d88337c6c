"""Which environment variables a child process sees: a list of allowed ones, never the whole.

A model's code (custom operators, providers) runs in the child; tokens, proxies and credentials of
the user are none of its business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["child_environment"]

_NAMES = frozenset(
    {
        # to find programs, libraries and per-user caches (CUDA keeps compiled kernels under HOME)
        *("PATH", "HOME", "USER", "LOGNAME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
        *("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
        # text and time
        *("LANG", "LANGUAGE", "TZ", "LOCPATH"),
        # without these Windows starts no interpreter or finds no driver
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE"),
        *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS"),
    }
)
_PREFIXES = (
    *("LC_", "OPENBLAS_", "OMP_", "GOMP_", "KMP_", "MKL_", "MALLOC_", "ORT_", "VK_"),
    *("CUDA_", "CUDNN_", "NVIDIA_", "TENSORRT_", "HIP_", "HSA_", "ROCM_", "ROCR_", "MIGRAPHX_"),
    *("OPENVINO_", "OV_", "INTEL_", "PROCESSOR_", "QNN_", "COREML_"),
)
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|KEY|AUTH", re.IGNORECASE)


def child_environment(workdir: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a child process that works in ``workdir``.

    Parameters
    ----------
    workdir
        Becomes the child's place for temporary files, so that they are removed with it.
    extra
        Variables set on top, as they are.
    """
    allowed = {name: value for name, value in os.environ.items() if _is_allowed(name)}
    # The child computes nothing with numpy; a pool of BLAS threads would cost time and memory.
    allowed.setdefault("OPENBLAS_NUM_THREADS", "1")
    allowed |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(workdir))
    return allowed | dict(extra or {})


def _is_allowed(name: str) -> bool:
    upper = name.upper()
    if _SECRET.search(upper):
        return False
    return upper in _NAMES or upper.startswith(_PREFIXES)
