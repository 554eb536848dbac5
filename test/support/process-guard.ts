import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Kills the child processes of this process as soon as it ends, for whatever reason: the shell reads a pipe that only
 * this process holds open. Exit handlers alone would miss a test worker that is killed.
 */
const GUARD_SCRIPT = `
trap '' INT TERM HUP
pids=
while read -r verb pid; do
  rest=
  for known in $pids; do [ "$known" = "$pid" ] || rest="$rest $known"; done
  pids=$rest
  [ "$verb" = watch ] && pids="$pids $pid"
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
`;

let guard: ChildProcessByStdio<Writable, null, null> | undefined;

export function guardProcess(pid: number): void {
  guard ??= startGuard();
  guard.stdin.write(`watch ${pid}\n`);
}

export function unguardProcess(pid: number): void {
  guard?.stdin.write(`forget ${pid}\n`);
}

function startGuard(): ChildProcessByStdio<Writable, null, null> {
  const child = spawn("/bin/sh", ["-c", GUARD_SCRIPT], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  // The pipe would keep the event loop of a finished test alive.
  (child.stdin as Writable & { unref?: () => void }).unref?.();
  child.stdin.on("error", () => {});
  return child;
}
