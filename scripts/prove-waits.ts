import { runWaits } from "../test/waits/wait-run.ts";

// `npm run prove:waits [-- SECONDS]`: 50 workers hold one lock while they wait for another, half with the library and
// half over HTTP. First, all workers have the same owner label and acquire the locks in the same order. The server must
// not find a deadlock or refuse a wait. Then they acquire the locks in random order. A deadlock that includes a wait
// with `refuse` must end within 4 s. The last line is "N passed, N failed".

const SECONDS = Number(process.argv[2] ?? 60);
// Rejects values that are not numbers, with which the run would end at once and find nothing.
if (!(SECONDS > 0)) throw new Error("Usage: npm run prove:waits [-- SECONDS]");
const WAIT_MS = 30_000;
/** Maximum time for each wait in random order. A deadlock in which all waits chose `report` lasts this long. */
const RANDOM_WAIT_MS = 10_000;
/**
 * Maximum time until a deadlock with a wait that chose `refuse` ends. Twice the time within which the server reports a
 * deadlock, because the workers and the server share one process.
 */
const ENDS_WITHIN_MS = 4000;

const counts = { passed: 0, failed: 0 };

function report(name: string, faults: readonly (string | false)[]): void {
  const found = faults.filter((fault) => fault !== false);
  counts[found.length === 0 ? "passed" : "failed"]++;
  console.log(found.length === 0 ? `${name}: passed` : `${name}: failed: ${found.join("; ")}`);
}

const ordered = await runWaits({ seconds: SECONDS, order: "ordered", waitMs: WAIT_MS });
console.log(
  `${SECONDS} s, one owner label: ${ordered.rounds.done} rounds, at most ${ordered.waitingMax} clients waiting, ${ordered.deadlocks} deadlocks`,
);
report("no false deadlock", [
  ordered.deadlocks > 0 && `${ordered.deadlocks} deadlocks were found`,
  ordered.rounds.deadlock > 0 && `${ordered.rounds.deadlock} waits were refused`,
  // Timeouts are acceptable if an outcome was unknown, because that hold may block its lock until its lease ends.
  ordered.rounds.timeout > 0 && ordered.rounds.unknown === 0 && `${ordered.rounds.timeout} waits timed out`,
  ordered.waitingMax < 10 && `only ${ordered.waitingMax} clients waited at a time`,
]);

const random = await runWaits({ seconds: SECONDS, order: "random", waitMs: RANDOM_WAIT_MS });
console.log(
  `${SECONDS} s, random order: ${random.rounds.done} rounds, ${random.deadlocks} deadlocks, ${random.rounds.deadlock} waits refused, ${random.rounds.timeout} timed out, the longest deadlock with \`refuse\` lasted ${random.refusableLastedMs} ms`,
);
report("no deadlock lasts if one of its waits chose refuse", [
  random.rounds.deadlock === 0 && "no wait was refused",
  random.refusableLastedMs > ENDS_WITHIN_MS && `one lasted ${random.refusableLastedMs} ms`,
]);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
