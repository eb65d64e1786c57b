#!/usr/bin/env bash
# Checks that every C++ file in the repository is formatted according to .clang-format; `--apply` formats the files
# instead.
#
# Includes new files that are not committed yet. Excludes files that .gitignore matches.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Releases of clang-format differ in details. The reference is the version in Debian 12.
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
  if [[ -f "$file" ]]; then  # skips files that are deleted but not committed yet
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
      echo "check_format.sh: the files named above differ from .clang-format; run 'make format' to fix them" >&2
      exit 1
    fi
    echo "format: ${#files[@]} files match .clang-format"
    ;;
  *)
    echo "usage: scripts/check_format.sh [--apply]" >&2
    exit 2
    ;;
esac
