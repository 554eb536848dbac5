import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditVerification } from "../../../lib/contract/audit.ts";
import { CHAIN_START, ChainCheck, parseExportLine } from "./audit-chain.ts";
import type { AuditStore, ChainEnd } from "./audit-store.ts";

/** Number of times to repeat a verification that has found a fault while retention removed entries. */
const TRIES = 3;

/** Verifies the chain in the home store. @param noted a hash to find in the chain, see `ChainCheck.notedAt` */
export async function verifyStoredChain(store: AuditStore, noted?: string): Promise<ChainCheck> {
  let end = await store.readEnd();
  for (let left = TRIES; ; left--) {
    const check = await verifyChainTo(store, end, noted);
    const now = await store.readEnd();
    const wasTrimmed = now?.anchor.number !== end?.anchor.number;
    if (check.fault === undefined || !wasTrimmed || left === 0) return check;
    end = now;
  }
}

async function verifyChainTo(
  store: AuditStore,
  end: ChainEnd | undefined,
  noted?: string,
): Promise<ChainCheck> {
  const check = new ChainCheck(end?.anchor ?? CHAIN_START, noted);
  const to = end?.head.number ?? 0;
  for (let at = 0; check.fault === undefined && at < to; ) {
    const links = await store.readAfter(at);
    const last = links.at(-1);
    if (last === undefined) break;
    // Entries that were appended after the verification started are not verified.
    for (const link of links) if (link.number <= to && !check.add(link)) break;
    at = last.number;
  }
  check.end(end?.head);
  return check;
}

/**
 * Verifies an exported chain.
 *
 * @param noted a hash to find in the chain, for example from an earlier verification; see `ChainCheck.notedAt`
 * @throws if the file cannot be read
 */
export async function verifyExportFile(file: string, noted: string | undefined): Promise<ChainCheck> {
  const check = new ChainCheck(undefined, noted);
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const link = parseExportLine(line);
    if (link === undefined) {
      check.fault ??= { number: check.head.number + 1, why: `line ${number} is not a valid export line` };
    } else check.add(link);
    if (check.fault !== undefined) break;
  }
  return check;
}

/** Converts the result of a verification to the format that the API returns. */
export function toAuditVerification(check: ChainCheck): AuditVerification {
  const { fault, entries, anchor = CHAIN_START, head, from, to, losses } = check;
  return {
    state: fault === undefined ? "intact" : "broken",
    ...{ entries, anchor, head, from, to, losses },
    ...(fault === undefined ? {} : { broken: fault }),
    checkedAt: Date.now(),
  };
}
