#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing, so that `make demo` and `make test` work on a fresh machine.
#
#   scripts/install_deps.sh [format] [lint] [compat]
#
# Without an argument: what building, testing and running need. The arguments add the tools of `make format`,
# `make lint` (also `make clang`) and `make compat`. When nothing is missing it prints nothing and costs one dpkg-query.
#
# Environment: LETHE_SKIP_DEPS=1 skips everything; a non-empty CMAKE_PREFIX_PATH means that LibTorch comes from there.
set -euo pipefail

if [[ "${LETHE_SKIP_DEPS:-0}" == 1 ]]; then
  exit 0
fi

# One table for both uses: the package to install, and what to look for where there is no apt.
needs=(
  "g++|a C++20 compiler (g++ 12 or newer)"
  "cmake|CMake 3.22 or newer"
  "ninja-build|Ninja"
  "pkg-config|pkg-config"
  "git|Git"
  "ca-certificates|CA certificates"
  "python3|Python 3 (for scripts/)"
  "libtorch-dev|LibTorch 1.13 or newer, found through CMAKE_PREFIX_PATH"
  "libopenblas0-openmp|OpenBLAS"
  "libtomlplusplus-dev|toml++"
  "libcli11-dev|CLI11"
  "nlohmann-json3-dev|JSON for Modern C++ (nlohmann)"
  "libspdlog-dev|spdlog"
  "libfmt-dev|fmt"
  "libgtest-dev|GoogleTest"
  "zlib1g-dev|zlib"
  "libssl-dev|OpenSSL"
  "librandom123-dev|Random123"
  "libopencv-core-dev|OpenCV: core"
  "libopencv-imgproc-dev|OpenCV: imgproc"
  "libopencv-imgcodecs-dev|OpenCV: imgcodecs"
  "libpng-dev|libpng"
  "libmatio-dev|matio"
  "dataset-fashion-mnist|the four idx.gz files of Fashion-MNIST (for the demo)"
)
for mode in "$@"; do
  case "$mode" in
    format) needs+=("clang-format|clang-format") ;;
    lint)
      needs+=("clang-format|clang-format" "clang-tidy|clang-tidy" "cppcheck|cppcheck" "clang|clang")
      ;;
    compat) needs+=("python3-venv|Python's venv module") ;;
    *)
      echo "install_deps.sh: unknown argument '$mode'; known: format, lint, compat" >&2
      exit 2
      ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "install_deps.sh: this system has no apt-get. Please install these by its own means:"
    printf '  - %s\n' "${needs[@]#*|}"
    echo "Then set LETHE_SKIP_DEPS=1 in the environment and call make again."
  } >&2
  exit 1
fi

packages=()
for need in "${needs[@]}"; do
  package=${need%%|*}
  if [[ "$package" == libtorch-dev && -n "${CMAKE_PREFIX_PATH:-}" ]]; then
    continue  # the user brings another LibTorch
  fi
  packages+=("$package")
done

# Any OpenBLAS with threads will do.
openblas_variants=(libopenblas0-openmp libopenblas0-pthread libopenblas0)
# dpkg-query fails as soon as one name is unknown to it, and still prints the others.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' \
  "${packages[@]}" "${openblas_variants[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
is_installed() {
  [[ $'\n'"$installed"$'\n' == *$'\n'"$1"$'\n'* ]]
}

missing=()
for package in "${packages[@]}"; do
  if is_installed "$package"; then
    continue
  fi
  if [[ "$package" == libopenblas0-openmp ]]; then
    for variant in "${openblas_variants[@]}"; do
      if is_installed "$variant"; then
        continue 2
      fi
    done
  fi
  missing+=("$package")
done

# With the reference BLAS matrix products take about ten times as long. Debian chooses the best one by itself unless an
# administrator chose once by hand. Prints the alternatives that still point to the reference ones.
reference_alternatives() {
  local link
  for link in /etc/alternatives/libblas.so.3-* /etc/alternatives/liblapack.so.3-*; do
    case "$(readlink "$link" || true)" in
      */blas/libblas.so.3 | */lapack/liblapack.so.3) basename "$link" ;;
    esac
  done
}

as_root=()
if [[ "$(id -u)" != 0 ]]; then
  as_root=(sudo)
fi
may_be_root() {
  [[ ${#as_root[@]} == 0 ]] || command -v sudo >/dev/null
}

if ((${#missing[@]} > 0)); then
  by_hand="apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}"
  if ! may_be_root; then
    {
      echo "install_deps.sh: packages are missing, and this is neither root nor is there sudo. Please run as root:"
      echo "  $by_hand"
    } >&2
    exit 1
  fi
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600)
  echo "installing ${missing[*]}"
  if ! "${apt[@]}" update --quiet=2; then
    echo "install_deps.sh: apt-get update failed; trying with the package lists that are there" >&2
  fi

  absent=()
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      absent+=("$package")
    fi
  done
  if ((${#absent[@]} > 0)); then
    {
      echo "install_deps.sh: not among this system's package sources: ${absent[*]}"
      echo "Debian has all of them from 12 on, Ubuntu from 25.10 on in 'universe'; Ubuntu 24.04 lacks libtorch-dev."
      echo "Any LibTorch can stand in for that one: make CMAKE_PREFIX_PATH=/path/to/libtorch."
      echo "If everything is there by other means, set LETHE_SKIP_DEPS=1."
    } >&2
    exit 1
  fi

  if ! "${apt[@]}" install --yes --quiet=2 --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null; then
    {
      echo "install_deps.sh: the installation failed. Please find out why with, as root:"
      echo "  $by_hand"
    } >&2
    exit 1
  fi
fi

for alternative in $(reference_alternatives); do
  if may_be_root; then
    "${as_root[@]}" update-alternatives --quiet --auto "$alternative" || true
  fi
done
if [[ -n "$(reference_alternatives)" ]]; then
  echo "install_deps.sh: warning: the reference BLAS is still in use, training will be slow." \
    "As root: update-alternatives --config libblas.so.3-$(gcc -print-multiarch)" >&2
fi
