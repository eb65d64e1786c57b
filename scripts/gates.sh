#!/usr/bin/env bash
# The checks that CI leaves out, and asan, one after the other: scripts/gates.sh [TARGET]...
# Without arguments it runs all of them, which takes hours on two cores. A failure does not stop the rest. build/gates
# has a log of each target and result.txt: commit, target, answer, seconds.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=("$@")
if ((${#targets[@]} == 0)); then
  targets=(lint asan tsan clang compat test-long)
fi
commit=$(git rev-parse --short=12 HEAD)
if [[ -n "$(git status --porcelain --untracked-files=no)" ]]; then
  commit+=-dirty
fi
mkdir -p build/gates

failed=0
for target in "${targets[@]}"; do
  start=$SECONDS
  answer=ok
  if ! make "$target" >"build/gates/$target.log" 2>&1; then
    answer=FAILED
    failed=1
  fi
  line="$commit $target $answer $((SECONDS - start)) s"
  echo "$line" >>build/gates/result.txt
  echo "$line"
done
exit "$failed"
