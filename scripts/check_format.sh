#!/usr/bin/env bash
# Checks that every C++ file of the repository is formatted as .clang-format says; `--apply` formats them instead.
#
# New files count before they are committed; what .gitignore names does not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Releases of clang-format differ in detail. The one that decides is Debian 12's.
reference=14
tool=clang-format
if command -v "clang-format-$reference" >/dev/null; then
  tool=clang-format-$reference
fi
version=$("$tool" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [[ "$version" != "$reference" ]]; then
  echo "check_format.sh: note: clang-format $version, the reference is $reference; small differences are possible" >&2
fi

files=()
listed=$(git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp' | sort -u)
while IFS= read -r file; do
  if [[ -f "$file" ]]; then  # not one that is deleted but not committed yet
    files+=("$file")
  fi
done <<<"$listed"
if ((${#files[@]} == 0)); then
  echo "check_format.sh: no C++ file found" >&2
  exit 1
fi

case "${1:-}" in
  --apply) "$tool" -i "${files[@]}" ;;
  "")
    if ! "$tool" --dry-run -Werror "${files[@]}"; then
      echo "check_format.sh: the files named above differ from .clang-format; 'make format' puts them right" >&2
      exit 1
    fi
    echo "format: ${#files[@]} files as .clang-format says"
    ;;
  *)
    echo "usage: scripts/check_format.sh [--apply]" >&2
    exit 2
    ;;
esac
