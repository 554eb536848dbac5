import type { HostileCase } from "../hostile-case.ts";

const CONNECTIONS = 8;
const NAME_BYTES = 1_000;
const OWNER_CHARACTERS = 256;
const LEASE_MS = 24 * 60 * 60 * 1000;

/**
 * Acquires locks with long names and the longest lease with one API key, until an acquire is rejected. Only
 * `quota_exceeded` is correct.
 */
export const LOCK_FLOOD: HostileCase = {
  name: "lock-flood",
  finding: "F12",
  async attack({ keys, sizes, over, addPlanted }) {
    const { attacker } = keys;
    const granted: string[] = [];
    let sent = 0;
    let refusal: string | undefined;
    const work = async () => {
      while (refusal === undefined && sent < sizes.floodedLocksMax && !over.aborted) {
        const key = `lock:flood:${sent++}:`.padEnd(NAME_BYTES, "x");
        const reply = await attacker.acquire(key, "f".repeat(OWNER_CHARACTERS), LEASE_MS);
        if (reply.status < 300) granted.push(key, `lockkeeper:hold:{${key}}`);
        else refusal = reply.body?.code ?? `status ${reply.status}`;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    await addPlanted(granted);
    if (refusal === "quota_exceeded") return [];
    const count = granted.length / 2;
    return [refusal === undefined ? `${count} holds of 24 h were granted` : `refused with ${refusal}`];
  },
};
