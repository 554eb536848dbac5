import { quoteShell } from "../curl.ts";
import { buildAcquireUrl, buildHoldsUrl, type GuideOptions } from "./guide-options.ts";

const formatSeconds = (ms: number) => String(ms / 1000);

export function createCurlGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  const third = leaseMs / 3;
  return `#!/usr/bin/env bash
# A request that fails, or takes too long, ends the work: better than going on without the lock.
set -euo pipefail
acquire_url=${quoteShell(buildAcquireUrl(options))}
holds_url=${quoteShell(buildHoldsUrl(options))}
id="$$-$RANDOM$RANDOM$RANDOM"   # one Idempotency-Key for all tries of the acquire

call() {   # call URL BODY SECONDS [CURL OPTION ...]
  curl -sS --fail-with-body -m "$3" "$1" -d "$2" "\${@:4}" \\
    -H "Authorization: Bearer $LOCKKEEPER_KEY" -H 'Content-Type: application/json'
}

# Whatever writes must send the fence along, so that what it writes to can refuse an older one.
work() {
  for step in $(seq ${steps}); do
    echo "step $step with fence $fence"
    sleep ${formatSeconds(stepMs)}
  done
}

hold=$(call "$acquire_url" '{"leaseMs":${leaseMs},"waitMs":${waitMs}}' ${formatSeconds(waitMs + 2500)} --retry 1 -H "Idempotency-Key: $id") || {
  echo "not acquired: $hold"
  exit 1
}
hold_url="$holds_url/$(sed 's/.*"holdId":"\\([^"]*\\)".*/\\1/' <<<"$hold")"
fence=$(sed 's/.*"fence":"\\([0-9]*\\)".*/\\1/' <<<"$hold")
echo "acquired with fence $fence"

work &
working=$!
(
  # A third of the lease, and as much for the answer: both are over before the lease is.
  while sleep ${formatSeconds(third)}; do
    call "$hold_url/renew" '{}' ${formatSeconds(third)} || break
  done
  kill "$working"
) >/dev/null 2>&1 &
renewing=$!

if wait "$working"; then outcome=0; else outcome=1; fi
kill "$renewing" 2>/dev/null || true
wait "$renewing" 2>/dev/null || true
if [ "$outcome" -ne 0 ]; then
  call "$hold_url/release" '{}' 5 >/dev/null || true   # a hold that has ended is left as it is
  echo "lost: stopped"
  exit 1
fi
call "$hold_url/release" '{}' 5 >/dev/null
echo "released"
`;
}
