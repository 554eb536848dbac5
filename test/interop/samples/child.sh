#!/usr/bin/env bash
# The work of WORK=child: a grandchild of the program writes lines until its process group is killed.
write_lines() {
  while :; do
    line="$COPY ${EPOCHREALTIME/[.,]/}"
    line="${line%???} $LOCK_FENCE"
    if [ -n "${FENCED-}" ]; then append_fenced; else echo "$line" >>"$LOG_FILE"; fi
    sleep 0.1
  done
}

# A resource that rejects a fencing token below the highest that it has accepted. It may be killed at any moment, so it
# replaces the highest token as a whole.
append_fenced() {
  (
    flock 9
    highest=$(cat "$LOG_FILE.fence" 2>/dev/null)
    if ((LOCK_FENCE < ${highest:-0})); then
      echo "$line" >>"$LOG_FILE.rejected"
    else
      echo "$LOCK_FENCE" >"$LOG_FILE.next" && mv "$LOG_FILE.next" "$LOG_FILE.fence"
      echo "$line" >>"$LOG_FILE"
    fi
  ) 9>>"$LOG_FILE.guard"
}

write_lines &
sleep "$((WORK_MS / 1000))"
case $END in
  complete) exit 0 ;;
  throw) exit 1 ;;
  exit3) exit 3 ;;
esac
