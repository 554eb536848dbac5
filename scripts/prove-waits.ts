import { runWaits } from "../test/waits/wait-run.ts";

// `npm run prove:waits [-- SECONDS]`: 50 workers hold one lock while they wait for another, half with the library and half
// over HTTP. First, all have the same owner label and acquire in one order: the server may find no deadlock, and refuse
// no wait. Then they acquire in random order: a deadlock with a wait that chose `refuse` must end within 4 s. The last line
// is "N passed, N failed".

const SECONDS = Number(process.argv[2] ?? 60);
// A run of NaN seconds would end at once and find nothing.
if (!(SECONDS > 0)) throw new Error("Usage: npm run prove:waits [-- SECONDS]");
const WAIT_MS = 30_000;
/** Deadlocks of waits that all chose `report` last this long. */
const RANDOM_WAIT_MS = 10_000;
/** Twice the time within which a deadlock is reported, because the workers and the server share one process. */
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
  // A hold with an unknown outcome remains until its lease ends.
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
