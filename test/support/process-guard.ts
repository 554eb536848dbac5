import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Shell script that kills the guarded processes when this process exits. The shell reads a pipe that only this process
 * holds open, so it also detects that a test worker was killed, in which case no exit handler runs.
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
  // Without `unref`, the pipe would keep the event loop of a finished test running.
  (child.stdin as Writable & { unref?: () => void }).unref?.();
  child.stdin.on("error", () => {});
  return child;
}
