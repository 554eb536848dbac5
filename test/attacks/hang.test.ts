import { describe, expect, it } from "vitest";
import { FILTER_GLOBS_MAX } from "../../lib/contract/list.ts";
import { KEY_BYTES_MAX } from "../../lib/keys/key.ts";
import { matchesFilter, parseFilter } from "../../lib/query/filter.ts";
import { countReads } from "../support/count-reads.ts";
import { runInWorker, WORKER_TEST_TIMEOUT_MS } from "../support/run-in-worker.ts";
import { createSubject, HOSTILE_INPUTS } from "./hostile-inputs.ts";
import { HOSTILE_TEXTS, TEXT_READERS } from "./text-readers.ts";

/**
 * Length of an input. A quadratic algorithm needs about 3 · 10⁸ steps, which take about a second, and a cubic one 4 ·
 * 10¹² steps, which take more than an hour.
 */
const SIZE = 2 ** 14;
/**
 * Maximum number of times that a glob is read per pair of a glob character and a text character. A matcher with two
 * pointers and one backtracking point needs only a few reads. One with another nested loop needs hundreds.
 */
const READS_PER_PAIR_MAX = 5;

const LONG_BYTES = 400_000;
/** Maximum CPU time in milliseconds. A quadratic expression takes more than ten seconds for a text of `LONG_BYTES`. */
const LONG_MS_MAX = 1000;

describe("run time for hostile input", () => {
  it.each(Object.entries(TEXT_READERS))("%s takes linear time for texts of 400 KB", (_, read) => {
    for (const createText of HOSTILE_TEXTS) {
      const text = createText(LONG_BYTES);
      const { user: startedAt } = process.cpuUsage();
      read(text);
      const tookMs = (process.cpuUsage().user - startedAt) / 1000;
      expect(tookMs, `${text.slice(0, 40)}…${text.slice(-20)}`).toBeLessThan(LONG_MS_MAX);
    }
  });

  it.each(HOSTILE_INPUTS)(
    "the run time grows at most quadratically for %s",
    async (name) => {
      await runInWorker(new URL("hostile-inputs.ts", import.meta.url), "processHostileInput", [[name, SIZE]]);
    },
    WORKER_TEST_TIMEOUT_MS,
  );

  it("at the request limits, matching costs a small multiple of comparing every pair of characters", () => {
    const most = FILTER_GLOBS_MAX - 2;
    const globs = [`${"*a".repeat(6)}b`, `${"*a".repeat(most / 2)}b`, `*${"a".repeat(most)}b`];
    for (const glob of globs) {
      const key = "a".repeat(glob.length > most / 2 ? KEY_BYTES_MAX : glob.length);
      const counted = countReads(glob, READS_PER_PAIR_MAX * glob.length * key.length);
      const terms = parseFilter(`key:${glob}`).map((term) => ({ ...term, glob: counted.text }));
      expect(matchesFilter(terms, createSubject(key)), glob.slice(0, 40)).toBe(false);
      expect(counted.reads()).toBeGreaterThan(key.length);
    }
  });
});
