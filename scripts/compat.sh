#!/usr/bin/env bash
# Builds and tests lethe with the current torch from PyPI, because the same source must work with LibTorch 1.13 to 2.x.
# `make compat` calls it. It is not part of CI, because the download is large (about 5 GB in build/compat).
#
# A second call reuses the download; LETHE_COMPAT_UPGRADE=1 first looks for a newer torch.
# PyPI's wheel for x86-64 is a CUDA build. find_package(Torch) then needs the CUDA toolkit (nvcc), although the tests
# run on the CPU. Without a toolkit, use a CPU build:
#   LETHE_COMPAT_TORCH=/path/to/libtorch make compat       an unpacked LibTorch; nothing is downloaded
#   PIP_INDEX_URL=... make compat                          a package index with CPU builds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$PWD/build/compat
jobs=${JOBS:-$(nproc)}

nvcc=$(command -v nvcc || true)
if [[ -z "$nvcc" && -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]]; then
  nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
fi

explain_missing_toolkit() {
  {
    echo "compat.sh: this torch is a CUDA build, but there is no CUDA toolkit (nvcc is neither in PATH nor in"
    echo "\$CUDA_HOME or /usr/local/cuda). Please install the toolkit, or use a CPU build of torch:"
    echo "  LETHE_COMPAT_TORCH=/path/to/libtorch make compat     an unpacked LibTorch"
    echo "  PIP_INDEX_URL=... make compat                        a package index with CPU builds"
  } >&2
  exit 1
}

if [[ -n "${LETHE_COMPAT_TORCH:-}" ]]; then
  torch=$(cd "$LETHE_COMPAT_TORCH" && pwd)
else
  # Report this before the download, not after it.
  if [[ -z "$nvcc" && -z "${PIP_INDEX_URL:-}" && "$(uname -m)" == x86_64 && ! -d "$folder/venv" ]]; then
    explain_missing_toolkit
  fi
  # Prefer Debian's Python, because python3-venv belongs to it.
  if [[ ! -x "$folder/venv/bin/pip" ]]; then
    base=/usr/bin/python3
    [[ -x "$base" ]] || base=python3
    "$base" -m venv --clear "$folder/venv"
  fi
  python=$folder/venv/bin/python
  find_torch() {
    "$python" -c 'import importlib.util as u, os; print(os.path.dirname(u.find_spec("torch").origin))' 2>/dev/null
  }
  if [[ "${LETHE_COMPAT_UPGRADE:-0}" == 1 ]] || ! find_torch >/dev/null; then
    echo "compat: installing torch into build/compat/venv"
    "$folder/venv/bin/pip" install --quiet --upgrade torch
  fi
  torch=$(find_torch)
fi
if [[ ! -f "$torch/share/cmake/Torch/TorchConfig.cmake" ]]; then
  echo "compat.sh: $torch: not a LibTorch folder: share/cmake/Torch/TorchConfig.cmake is missing" >&2
  exit 1
fi

version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$torch/share/cmake/Torch/TorchConfigVersion.cmake" || true)
version=${version:-of unknown version}
linker_flags=
library_path=$torch/lib
if [[ -f "$torch/lib/libtorch_cuda.so" ]]; then
  if [[ -z "$nvcc" ]]; then
    explain_missing_toolkit
  fi
  export PATH=${nvcc%/*}:$PATH
  # Without a GPU, torch's CMake cannot detect the architecture. We compile no CUDA code, so any valid architecture
  # works.
  export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-8.0}
  # libtorch_cuda.so needs the libraries of the nvidia wheels. Those of the toolkit may be older and lack symbols.
  nvidia=$(find "${torch%/*}/nvidia" -mindepth 2 -maxdepth 2 -type d -name lib 2>/dev/null | sort | paste -sd : || true)
  if [[ -n "$nvidia" ]]; then
    linker_flags=-Wl,-rpath-link,$nvidia
    library_path=$nvidia:$library_path
  fi
fi

# Rebuild from scratch for another torch: CMake caches the paths of its parts.
if [[ "$(cat "$folder/built_with.txt" 2>/dev/null || true)" != "$torch $version" ]]; then
  rm -rf "$folder/build"
fi
mkdir -p "$folder"
printf '%s\n' "$torch $version" >"$folder/built_with.txt"

echo "compat: torch $version in $torch"
# CMAKE_LIBRARY_PATH: otherwise libc10.so of Debian's libtorch-dev is used, and the program aborts at the start.
cmake -G Ninja -S . -B "$folder/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$torch/share/cmake" -DCMAKE_LIBRARY_PATH="$torch/lib" \
  -DCMAKE_EXE_LINKER_FLAGS="$linker_flags"

export LD_LIBRARY_PATH=$library_path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cmake --build "$folder/build" --parallel "$jobs"

program=$folder/build/bin/lethe
# The program must not mix two versions of LibTorch.
if ldd "$program" | grep -E 'lib(torch|torch_cpu|c10)\.so' | grep -vF "$torch/lib/"; then
  echo "compat.sh: $program loads the libraries above instead of the ones in $torch/lib" >&2
  exit 1
fi
ctest --test-dir "$folder/build" --output-on-failure --no-tests=error --parallel 2 --label-exclude '^long$'
echo "compat: passed with torch $version"
