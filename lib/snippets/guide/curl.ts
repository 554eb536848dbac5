import { quoteShell } from "../curl.ts";
import { buildLockUrl, type GuideOptions } from "./guide-options.ts";

const formatSeconds = (ms: number) => String(ms / 1000);

export function createCurlGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  const third = leaseMs / 3;
  return `#!/usr/bin/env bash
# A request that fails, or takes too long, ends the work: better than going on without the lock.
set -euo pipefail
lock=${quoteShell(buildLockUrl(options))}
owner="script:$$:$RANDOM$RANDOM"   # an owner of its own for each hold

call() {   # call VERB BODY SECONDS
  curl -sS --fail-with-body -m "$3" "$lock/$1" -d "$2" \\
    -H "Authorization: Bearer $LOCKKEEPER_KEY" -H 'Content-Type: application/json'
}

# Whatever writes must send the fence along, so that what it writes to can refuse an older one.
work() {
  for step in $(seq ${steps}); do
    echo "step $step with fence $fence"
    sleep ${formatSeconds(stepMs)}
  done
}

grant=$(call acquire "{\\"owner\\":\\"$owner\\",\\"leaseMs\\":${leaseMs},\\"waitMs\\":${waitMs}}" ${formatSeconds(waitMs + 2500)}) || {
  echo "not acquired: $grant"
  exit 1
}
fence=$(sed 's/.*"fence":"\\([0-9]*\\)".*/\\1/' <<<"$grant")
echo "acquired with fence $fence"

work &
working=$!
(
  # A third of the lease, and as much for the answer: both are over before the lease is.
  while sleep ${formatSeconds(third)}; do
    call renew "{\\"owner\\":\\"$owner\\",\\"leaseMs\\":${leaseMs}}" ${formatSeconds(third)} || break
  done
  kill "$working"
) >/dev/null 2>&1 &
renewing=$!

if wait "$working"; then outcome=0; else outcome=1; fi
kill "$renewing" 2>/dev/null || true
wait "$renewing" 2>/dev/null || true
if [ "$outcome" -ne 0 ]; then
  echo "lost: stopped"
  exit 1
fi
call release "{\\"owner\\":\\"$owner\\"}" 5 >/dev/null
echo "released"
`;
}
