import { createHash } from "node:crypto";
import type { AuditEntry, ChainPlace } from "../../../lib/contract/audit.ts";

/** The place before entry 1. A chain that begins after a loss of the store's data can begin at a later place. */
export const CHAIN_START: ChainPlace = { number: 0, hash: "0".repeat(64) };

/**
 * An entry as stored in the chain. `hash` covers `prev` and the bytes of `text`, so verification does not depend on how
 * `text` is parsed.
 */
export interface ChainLink {
  /**
   * The number in the id of the stream entry, which must equal the number in `text`. For a line of an export, the
   * number in `text`.
   */
  readonly number: number;
  /** Hash of the previous entry. */
  readonly prev: string;
  readonly hash: string;
  readonly text: string;
}

type WithoutPlace<Entry> = Entry extends unknown ? Omit<Entry, "number"> : never;
/** An entry that has no number yet. */
export type NewAuditEntry = WithoutPlace<AuditEntry>;

const BEYOND_ASCII = /[\u007f-\uffff]/g;

/**
 * Serializes an entry as one line of JSON that starts with the number and the time. The line is printable ASCII: all
 * other characters, such as line breaks, bidirectional marks and homoglyphs, are escaped. The result is safe to
 * display, and different entries never look the same.
 */
export function serializeEntry({ at, kind, ...facts }: NewAuditEntry, number: number): string {
  return JSON.stringify({ number, at, kind, ...facts }).replace(
    BEYOND_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Returns the hash of an entry. The hash covers the text of the entry and `prev`, the hash of the previous entry.
 * `prev` has a fixed length and `text` has no line break, so the hashed bytes are different for different inputs.
 */
export function hashEntry(prev: string, text: string): string {
  return createHash("sha256").update(`${prev}\n${text}`).digest("hex");
}

/** Builds the chain links for new entries that follow the entry at `after`. */
export function linkEntries(after: ChainPlace, entries: readonly NewAuditEntry[]): ChainLink[] {
  let { number, hash: prev } = after;
  return entries.map((entry) => {
    number += 1;
    const text = serializeEntry(entry, number);
    const link = { number, prev, hash: hashEntry(prev, text), text };
    prev = link.hash;
    return link;
  });
}

const ENTRY_TEXT_START = /^\{"number":([1-9]\d{0,15}),"at":(\d{1,16}),"kind":"([a-z_]+)"/;

/** Returns the time in the text of an entry, in Unix milliseconds; `NaN` if the text is malformed. */
export function readEntryTime({ text }: ChainLink): number {
  return Number(ENTRY_TEXT_START.exec(text)?.[2]);
}

export interface ChainFault {
  readonly number: number;
  readonly why: string;
}

/** Verifies a chain, one entry at a time, up to the first fault. */
export class ChainCheck {
  #place: ChainPlace | undefined;
  #noted: number | undefined;
  fault: ChainFault | undefined;
  entries = 0;
  /** Numbers of the first `LOSSES_MAX` entries that record a loss of earlier entries. */
  readonly losses: number[] = [];
  from: number | null = null;
  to: number | null = null;

  /**
   * @param anchor the place that the first entry must follow. `undefined` if the first entry can be at any place
   * @param noted a hash to find in the chain (`notedAt`). It is not a fault if the chain does not contain the hash
   */
  constructor(
    readonly anchor: ChainPlace | undefined,
    private readonly noted?: string,
  ) {
    this.#place = anchor;
    if (anchor?.hash === noted && noted !== undefined) this.#noted = anchor?.number;
  }

  /** The place of the last valid entry, or the place before the first entry if no entry has been verified. */
  get head(): ChainPlace {
    return this.#place ?? CHAIN_START;
  }

  /** The number of the entry with the noted hash. `undefined` if the hash has not been found so far. */
  get notedAt(): number | undefined {
    return this.#noted;
  }

  /** Verifies the next entry. Returns `false` for the first invalid entry and for all entries after it. */
  add(link: ChainLink): boolean {
    if (this.fault !== undefined) return false;
    if (this.#place === undefined && link.number === 1) this.#place = CHAIN_START;
    if (this.#place === undefined && link.prev === this.noted) this.#noted = link.number - 1;
    const why = this.#findFault(link);
    if (why !== undefined) {
      this.fault = { number: this.#place === undefined ? link.number : this.head.number + 1, why };
      return false;
    }
    const at = readEntryTime(link);
    if (this.losses.length < LOSSES_MAX && isLoss(link)) this.losses.push(link.number);
    this.from ??= at;
    this.to = at;
    this.entries += 1;
    this.#place = { number: link.number, hash: link.hash };
    if (link.hash === this.noted) this.#noted = link.number;
    return true;
  }

  /**
   * Verifies that the last added entry is the end of the chain. Call it after the last `add`.
   *
   * @param head the end of the chain according to the store; `undefined` to skip this verification
   */
  end(head: ChainPlace | undefined): void {
    if (this.fault !== undefined || head === undefined) return;
    const { number, hash } = this.head;
    if (head.number > number) {
      const count = head.number - number;
      this.fault = { number: number + 1, why: `${count} at the end are missing, up to entry ${head.number}` };
    } else if (head.hash !== hash || head.number !== number)
      this.fault = { number, why: "it is not the end recorded in the store" };
  }

  #findFault({ number, prev, hash, text }: ChainLink): string | undefined {
    const place = this.#place;
    if (place !== undefined && number !== place.number + 1) {
      const missing = number - place.number - 1;
      return missing > 0
        ? `${missing} ${missing === 1 ? "entry is" : "entries are"} missing before entry ${number}`
        : `found entry ${number} instead of ${place.number + 1}`;
    }
    if (Number(ENTRY_TEXT_START.exec(text)?.[1]) !== number) return "its text has another number";
    if (place !== undefined && prev !== place.hash) {
      return "it does not follow the previous entry: one of the two was altered, or an entry between them is missing";
    }
    if (hashEntry(prev, text) !== hash) return "it was altered: its hash does not match its text";
    return undefined;
  }
}

const LOSSES_MAX = 20;

function isLoss({ number, text }: ChainLink): boolean {
  const kind = ENTRY_TEXT_START.exec(text)?.[3];
  return kind === "entries_lost" || (kind === "chain_begun" && number > 1);
}

/** Formats an entry as one line of an export, including the line break. */
export function formatExportLine({ prev, hash, text }: ChainLink): string {
  return `{"prev":"${prev}","hash":"${hash}","entry":${text}}\n`;
}

const EXPORT_LINE = /^\{"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","entry":(\{.*\})\}\r?$/;

/** Parses one line of an export. Returns `undefined` if the line is malformed. */
export function parseExportLine(line: string): ChainLink | undefined {
  const [, prev, hash, text] = EXPORT_LINE.exec(line) ?? [];
  if (prev === undefined || hash === undefined || text === undefined) return undefined;
  return { number: Number(ENTRY_TEXT_START.exec(text)?.[1]), prev, hash, text };
}
