#!/usr/bin/env bash
# Stops a release unless the audit of a run passed: examples/audit_gate.sh RUN [option of lethe audit]...
# Exit status: 0 the release may go on, 1 it must not.
set -euo pipefail

run=${1:?usage: audit_gate.sh RUN [option of lethe audit]...}
shift
lethe=${LETHE:-lethe}  # the program

status=0
"$lethe" audit "$run" "$@" || status=$?
case "$status" in
  0) echo "audit passed: $run/audit" ;;
  4) echo "audit failed: do not release $run" >&2 && exit 1 ;;
  5) echo "audit not decided: more test images or more oracles are needed, do not release $run" >&2 && exit 1 ;;
  *) echo "the audit could not be made (exit status $status)" >&2 && exit 1 ;;
esac
