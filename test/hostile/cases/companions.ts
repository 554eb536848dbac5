import { setTimeout as sleep } from "node:timers/promises";
import type { CaseContext, HostileCase } from "../hostile-case.ts";

const PAUSE_MS = 50;
const RESPONSE_MS_MAX = 1_000;

/** Header lines of a companion without a hold, for both companion layouts. Only requests may follow. */
const EMPTY_HEADERS = ["\n\n0\n\n0\n0\n0\n0\n0\ntoken\n", "\n\n0\n\n0\n0\n0\n0\n0\ntoken\n\n\n"];
const ENTRY = "\na\t0";
const GARBAGE_BYTES = 400;

/** Returns the key of a lock's companion, which any client with write access can overwrite. */
const getCompanionKey = (key: string) => `lockkeeper:hold:{${key}}`;

/**
 * Repeatedly plants a companion and acquires its lock.
 *
 * @returns faults with their number: server errors, missing responses and late responses
 */
async function acquireBeside(
  { redis, keys, version, enough, addPlanted }: CaseContext,
  companions: readonly (string | Buffer)[],
): Promise<readonly string[]> {
  const faults = new Map<string, number>();
  for (let round = 0; !enough.aborted; round++) {
    const key = `lock:companion:${round}`;
    const owner = `beside:${round}`;
    await redis.set(getCompanionKey(key), companions[round % companions.length] ?? "");
    if (round < companions.length) await addPlanted([getCompanionKey(key)]);
    const sentAt = performance.now();
    const { status, body } = await keys.attacker.acquire(key, owner);
    const isLate = performance.now() - sentAt > RESPONSE_MS_MAX;
    if (status >= 500 || status === 0) count(faults, `acquire returned ${status}`);
    if (isLate) count(faults, "acquire took more than 1 s");
    const { path, body: release } = version.release({ key, owner, holdId: body?.holdId });
    if (status < 300) await keys.attacker.post(path, release);
    await sleep(PAUSE_MS);
  }
  return [...faults].map(([fault, times]) => `${times} × ${fault}`);
}

function count(faults: Map<string, number>, fault: string): void {
  faults.set(fault, (faults.get(fault) ?? 0) + 1);
}

export const LONG_COMPANION: HostileCase = {
  name: "long-companion",
  finding: "F5",
  attack: (context) => {
    const window = ENTRY.repeat(Math.ceil(context.sizes.companionBytes / ENTRY.length));
    return acquireBeside(
      context,
      EMPTY_HEADERS.map((header) => header + window),
    );
  },
};

export const GARBAGE_COMPANION: HostileCase = {
  name: "garbage-companion",
  finding: "F5b",
  attack: (context) =>
    acquireBeside(context, [
      "z".repeat(GARBAGE_BYTES),
      Buffer.alloc(GARBAGE_BYTES, 0xff),
      ...EMPTY_HEADERS.map((header) => `${header}\n${"z".repeat(GARBAGE_BYTES)}`),
      ...EMPTY_HEADERS.map((header) => header.replaceAll("0", "9".repeat(30))),
    ]),
};
