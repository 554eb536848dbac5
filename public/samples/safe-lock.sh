#!/usr/bin/env bash
# Runs a command while holding a lock, and never without it:
#
#   export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
#   LEASE_S=30 WAIT_S=10 ./safe-lock.sh KEY COMMAND [ARGUMENT ...]
#
# LEASE_S and WAIT_S are whole seconds; WAIT_S is at most 55.
# The command gets the fencing token as $LOCK_FENCE; send it with every write and reject lower ones. When the lock is
# lost or its lease cannot be renewed, when this program dies, and on SIGTERM, SIGINT and SIGHUP, the command and its
# process group are killed (SIGKILL) before the lease ends. The lock is released once no process of the group is left.
#
# Exit status: the command's; 75 if the lock was not acquired, 76 if it was lost, 64 for wrong arguments.
# Needs bash 4.4, ps, base64 and curl. Elsewhere than on Linux it needs bash 5 and trusts the wall clock.
# Limits: a force-release is noticed at the next renewal, within a third of the lease, and a suspended machine cannot
# kill anything; only the fencing token rejects writes in that time. A process that leaves the process group (setsid) is
# not killed. The command reads no standard input.
set -u
: "${LOCKKEEPER_URL:?}" "${LOCKKEEPER_API_KEY:?}"
if [[ ! ${LEASE_S:=30} =~ ^[1-9][0-9]*$ || ! ${WAIT_S:=10} =~ ^([0-9]|[1-4][0-9]|5[0-5])$ ]]; then
  echo 'LEASE_S must be a whole number of seconds, and WAIT_S one from 0 to 55' >&2
  exit 64
fi
lease_ms=$((LEASE_S * 1000)) wait_ms=$((WAIT_S * 1000))
hold='' guard='' status=''

# A dead man's switch in a process of its own. It runs its arguments in a process group of their own and reads the
# seconds left until the deadline from a pipe, one line per renewal. When a line is late or the pipe ends, it kills the
# group. It exits with the status of the command, when no process of the group is left.
IFS= read -rd '' guard_script <<'GUARD'
IFS= read -r left || exit 137
trap : INT TERM HUP
exec 3>&2 2>/dev/null
set -m
"$@" </dev/null 2>&3 3>&- 4>&- & work=$!
{ while IFS= read -rt "$left" left; do :; done; kill -KILL -- "-$work"; } >&2 3>&- 4>&- & switch=$!
wait "$work"
while kill -KILL -- "-$work" && ps -A -o pgid= -o stat= | grep -q "^ *$work [^Z]"; do sleep 0.02; done
wait "$work"; status=$?
kill -KILL -- "-$switch"
exit "$status"
GUARD

set_now() { # milliseconds
  if read -r now _ 2>/dev/null </proc/uptime; then now=${now/./}0; else now=${EPOCHREALTIME/[.,]/} now=${now%???}; fi
}

set_seconds() { # set_seconds MILLISECONDS: at least 0.001, because 0 means no limit to curl
  local ms=$(($1 > 0 ? $1 : 1))
  printf -v seconds '%d.%03d' $((ms / 1000)) $((ms % 1000))
}

# call PATH BODY LIMIT_MS [CURL_OPTION ...]: sets sent, response and http_status (000: no response). curl reads the API
# key from a pipe, so that it does not appear in the process list.
call() {
  set_seconds "$3"
  set_now; sent=$now
  IFS= read -rd '' response < <(exec curl -q -s -m "$seconds" -w '\n%{http_code}' "$LOCKKEEPER_URL/api/v1$1" -d "$2" \
    -H @<(printf 'Authorization: Bearer %s' "$LOCKKEEPER_API_KEY") -H 'Content-Type: application/json' "${@:4}")
  http_status=${response: -3}
}

set_field() { # set_field NAME: sets value to a string or number of the response; fails if there is none
  [[ $response =~ \"$1\":(\"(([^\"\\]|\\.)*)\"|([0-9]+)) ]] && value=${BASH_REMATCH[2]}${BASH_REMATCH[4]}
}

# Fails if the response does not confirm the hold. Counts from before the request was sent, less a margin for killing
# the command and for clock drift.
set_deadline() {
  local waited=0
  [[ $http_status == 20? ]] && set_field waitedMs && waited=$value
  [[ $http_status == 20? ]] && set_field remainingMs || return
  deadline=$((sent + waited + value - lease_ms / 20)) renew_at=$((sent + waited + value - lease_ms * 2 / 3))
}

finish() { # finish STATUS: stops the command, then releases
  trap '' INT TERM HUP
  if [[ $guard ]]; then exec {pipe}>&-; wait "$guard"; fi 2>/dev/null
  if [[ $hold ]]; then
    for _ in 1 2 3; do
      call "/holds/$hold/release" '{}' 5000
      [[ $http_status == [24]?? ]] && break
      sleep 0.5
    done
  else
    kill "${!-}" 2>/dev/null # an acquire that still waits
  fi
  exit "$1"
}

acquire() { # acquire KEY: all tries have one Idempotency-Key, so that they make one hold
  local path id body
  path=\~$(printf %s "$1" | base64 | tr -d '=\n' | tr /+ _-) # after ~, base64url, which is valid for every key
  id=$(od -An -N16 -tx1 /dev/urandom)
  body="{\"leaseMs\":$lease_ms,\"waitMs\":$wait_ms,\"record\":{\"host\":\"${HOSTNAME//[^a-zA-Z0-9._-]/}\",\"pid\":$$}}"
  for _ in 1 2 3 4 5; do
    call "/locks/$path/acquire" "$body" $((wait_ms + 2500)) -H "Idempotency-Key: ${id// /}"
    if set_deadline; then set_field holdId && hold=$value; set_field fence && export LOCK_FENCE=$value; return; fi
    [[ $http_status == 4?? ]] && break
    sleep 1
  done
  set_field detail || value="no response (HTTP status $http_status)"
  echo "not acquired: ${value//\\\"/\"}" >&2
  finish 75
}

renew() { # fails when the lock is lost; any other failure is tried again
  call "/holds/$hold/renew" '{}' $((deadline - now < lease_ms / 3 ? deadline - now : lease_ms / 3))
  if ! set_deadline; then
    [[ $http_status == 4?? && $http_status != 408 && $http_status != 429 ]] && return 1
    set_now; renew_at=$((now + (lease_ms > 10000 ? 1000 : lease_ms / 10)))
  fi
}

with_lock() { # with_lock KEY COMMAND [ARGUMENT ...]
  trap 'finish 129' HUP; trap 'finish 130' INT; trap 'finish 143' TERM
  acquire "$1"
  exec 3>&1
  coproc { exec bash -c "$guard_script" lock-guard "${@:2}" 4>&1 >&3 3>&-; } # its end closes the pipe on descriptor 4
  guard=$COPROC_PID pipe=${COPROC[1]} ended=${COPROC[0]}
  exec 3>&-
  trap '' PIPE
  while set_now; ((now < deadline)); do
    set_seconds $((deadline - now)); echo "$seconds" >&"$pipe"
    set_seconds $((renew_at - now))
    IFS= read -rt "$seconds" -u "$ended" _
    (($? > 128)) || { wait "$guard"; status=$?; break; }
    set_now; renew || deadline=$now
  done 2>/dev/null
  set_now
  # 137 at the deadline: the guard killed the command
  if [[ $status ]] && ((status != 137 || deadline - now > 100)); then finish "$status"; fi
  echo 'lost: stopped' >&2
  finish 76
}

# Your work starts here.
if (($# < 2)); then
  echo 'usage: [LEASE_S=30] [WAIT_S=10] safe-lock.sh KEY COMMAND [ARGUMENT ...]' >&2
  exit 64
fi
with_lock "$@"
