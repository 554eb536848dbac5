// Runs work while holding a lock:
//
//   export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
//   node safe-lock.mts                 Node 22.18 or newer; with Node 20: npx tsx safe-lock.mts
//
// It has no dependencies. The package @lockkeeper/client does the same, except for commands and signals.
// Copy everything above the marker line. The lock is renewed until the work settles and is then released, also after
// an exception, SIGTERM, SIGINT or SIGHUP. If the lock is lost or its deadline passes, hold.signal aborts,
// hold.assertHeld() throws LockLost and the commands of hold.run() are killed (SIGKILL, whole process group).
//
// Needs Node, and bash 4.4 and ps for hold.run().
// Limits: only hold.assertHeld() and hold.signal can stop work in this process; call assertHeld() before each step
// whose effect others see. A pause between the call and the step can outlast the lease, and a force-release is noticed
// at the next renewal, within a third of the lease, so send hold.fence with every write and reject lower ones. A process
// that leaves its process group (setsid) is not killed.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

// A dead man's switch in a process of its own. It runs its arguments in a process group of their own and reads the
// seconds left until the deadline from a pipe, one line per renewal. When a line is late or the pipe ends, it kills the
// group. It exits with the status of the command, when no process of the group is left.
const GUARD_SCRIPT = `
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
`;

const EXIT_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export class NotAcquired extends Error {}
export class LockLost extends Error {}

// The monotonic clock stops while the machine is suspended, and the wall clock may be set back.
interface Moment {
  monotonicMs: number;
  wallMs: number;
}

const now = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

interface Reply {
  sentAt: Moment;
  status: number; // 0: no response
  holdId?: string;
  fence?: string;
  waitedMs?: number;
  remainingMs?: number;
  detail?: string;
}

async function post(path: string, body: object, limitMs: number, headers: object = {}): Promise<Reply> {
  const sentAt = now();
  try {
    const response = await fetch(`${process.env.LOCKKEEPER_URL}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${process.env.LOCKKEEPER_API_KEY}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(Math.max(1, Math.floor(limitMs))),
    });
    const fields = await response.json().catch(() => ({})); // a proxy may respond with HTML
    return { ...fields, sentAt, status: response.status };
  } catch {
    return { sentAt, status: 0 };
  }
}

export class Hold {
  readonly fence: string;
  readonly #path: string;
  readonly #leaseMs: number;
  readonly #abort = new AbortController();
  readonly #commands = new Map<Writable, Promise<unknown>>();
  #deadline = now();
  #renewAt = 0;

  constructor(reply: Reply, leaseMs: number) {
    this.fence = reply.fence ?? "";
    this.#path = `/holds/${reply.holdId}`;
    this.#leaseMs = leaseMs;
    this.#extend(reply);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Milliseconds until the deadline, by the clock that advanced more. */
  get leftMs(): number {
    const { monotonicMs, wallMs } = now();
    return Math.min(this.#deadline.monotonicMs - monotonicMs, this.#deadline.wallMs - wallMs);
  }

  /** Throws unless the lock is certainly held at this moment. */
  assertHeld(): void {
    if (this.leftMs <= 0) this.stop(new LockLost("lost: stopped"));
    this.signal.throwIfAborted();
  }

  /** Runs a command with LOCK_FENCE in its environment and returns its exit status. Its standard input is empty. */
  async run(command: string, args: readonly string[] = []): Promise<number> {
    this.assertHeld();
    const guard = spawn("bash", ["-c", GUARD_SCRIPT, "lock-guard", command, ...args], {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...process.env, LOCK_FENCE: this.fence },
    });
    const pipe = guard.stdin.on("error", () => {}); // the command has ended
    const ended = once(guard, "exit");
    this.#commands.set(
      pipe,
      ended.catch(() => {}),
    );
    this.#writeDeadline(pipe);
    const [status] = await ended.finally(() => this.#commands.delete(pipe));
    if (status === 137 && this.leftMs < 100) this.stop(new LockLost("lost: stopped")); // the guard killed it
    this.signal.throwIfAborted();
    return status ?? 137;
  }

  /** Aborts the signal and kills the commands. */
  stop(reason: Error): void {
    this.#abort.abort(reason);
    for (const pipe of this.#commands.keys()) pipe.end();
  }

  /** Renews until the hold is stopped or lost. A failed request is tried again until the deadline. */
  async keepRenewing(): Promise<void> {
    while (!this.signal.aborted) {
      const delayMs = Math.min(this.#renewAt - performance.now(), this.leftMs, 1000); // a suspension delays timers
      await sleep(Math.max(0, delayMs), undefined, { signal: this.signal }).catch(() => {});
      if (this.signal.aborted) return;
      if (this.leftMs <= 0) return this.stop(new LockLost("lost: stopped"));
      if (performance.now() < this.#renewAt) continue;
      const reply = await post(`${this.#path}/renew`, {}, Math.min(this.#leaseMs / 3, this.leftMs));
      if (this.#extend(reply)) for (const pipe of this.#commands.keys()) this.#writeDeadline(pipe);
      else if (reply.status >= 400 && reply.status < 500 && reply.status !== 408 && reply.status !== 429)
        this.stop(new LockLost("lost: stopped"));
      else this.#renewAt = performance.now() + Math.min(1000, this.#leaseMs / 10);
    }
  }

  /** Stops what still runs, then releases. */
  async release(): Promise<void> {
    this.stop(new LockLost("released"));
    await Promise.all(this.#commands.values());
    for (let tries = 0; tries < 3; tries++) {
      const { status } = await post(`${this.#path}/release`, {}, 5000);
      if (status >= 200 && status < 500) return;
      await sleep(500);
    }
  }

  #extend({ sentAt, status, waitedMs = 0, remainingMs }: Reply): boolean {
    if (status < 200 || status > 299 || typeof remainingMs !== "number") return false;
    const { monotonicMs, wallMs } = sentAt; // counted from before the request was sent
    const lastsMs = waitedMs + remainingMs - this.#leaseMs / 20; // a margin for killing commands and for clock drift
    this.#deadline = { monotonicMs: monotonicMs + lastsMs, wallMs: wallMs + lastsMs };
    this.#renewAt = monotonicMs + waitedMs + remainingMs - (this.#leaseMs * 2) / 3;
    return true;
  }

  #writeDeadline(pipe: Writable): void {
    if (this.leftMs > 1) pipe.write(`${(this.leftMs / 1000).toFixed(3)}\n`);
  }
}

async function acquire(key: string, leaseMs: number, waitMs: number): Promise<Hold> {
  const headers = { "idempotency-key": randomUUID() }; // the same for all tries, so that they make one hold
  for (let tries = 1; ; tries++) {
    const path = `/locks/~${Buffer.from(key).toString("base64url")}/acquire`; // this form is valid for every key
    const record = { host: hostname(), pid: process.pid }; // shown in the console
    const reply = await post(path, { leaseMs, waitMs, record }, waitMs + 2500, headers);
    if (reply.holdId !== undefined) return new Hold(reply, leaseMs);
    if (tries === 5 || (reply.status >= 400 && reply.status < 500))
      throw new NotAcquired(`not acquired: ${reply.detail ?? `no response (HTTP status ${reply.status})`}`);
    await sleep(1000);
  }
}

const held = new Set<Hold>(); // by this process: after a signal, the last one that is released ends it

/** Runs work while holding the lock at `key`. Rejects with NotAcquired, LockLost or what the work throws. */
export async function withLock<Result>(
  key: string,
  { leaseMs = 30_000, waitMs = 10_000 },
  work: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const hold = await acquire(key, leaseMs, waitMs);
  held.add(hold);
  let exitStatus: number | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    exitStatus = EXIT_STATUS[name as keyof typeof EXIT_STATUS];
    hold.stop(new Error(`stopped by ${name}`));
    setTimeout(() => process.exit(exitStatus), hold.leftMs).unref(); // for work that ignores the signal
  };
  for (const name of Object.keys(EXIT_STATUS)) process.once(name, onSignal);
  void hold.keepRenewing();
  try {
    const result = await work(hold);
    hold.assertHeld();
    return result;
  } finally {
    await hold.release();
    for (const name of Object.keys(EXIT_STATUS)) process.off(name, onSignal);
    held.delete(hold);
    if (exitStatus !== undefined && held.size === 0) process.exit(exitStatus);
  }
}

// Your work starts here.
try {
  await withLock("lock:example", { leaseMs: 30_000, waitMs: 10_000 }, async (hold) => {
    for (let step = 1; step <= 5; step++) {
      hold.assertHeld(); // before each step whose effect others see
      console.log(`step ${step} with fence ${hold.fence}`); // send the fence with every write
      await sleep(200, undefined, { signal: hold.signal });
    }
    process.exitCode = await hold.run("sh", ["-c", 'echo "command with fence $LOCK_FENCE"']);
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof NotAcquired ? 75 : error instanceof LockLost ? 76 : 1;
}
