import fc from "fast-check";
import { expect, it } from "vitest";
import { AuditEntry } from "../../../lib/contract/audit.ts";
import {
  CHAIN_START,
  ChainCheck,
  type ChainLink,
  formatExportLine,
  hashEntry,
  linkEntries,
  type NewAuditEntry,
  parseExportLine,
} from "./audit-chain.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom('"},"x":{"', "\n\r\u2028\u202e", "\ud800", "=1+1", "__proto__", "é", "e\u0301"),
);
const intent: fc.Arbitrary<NewAuditEntry> = fc.record({
  kind: fc.constant("intent" as const),
  at: fc.integer({ min: 0, max: 2 ** 42 }),
  id: hostile,
  requestId: hostile,
  who: fc.record({ kind: hostile, id: hostile, name: hostile, verbs: fc.array(hostile, { maxLength: 2 }) }),
  from: fc.record({ address: hostile, agent: hostile }),
  action: fc.constant("force_release"),
  key: hostile,
  reason: hostile,
  details: fc.dictionary(hostile, fc.oneof(hostile, fc.integer(), fc.double()), { maxKeys: 3 }),
});
const outcome: fc.Arbitrary<NewAuditEntry> = fc.record({
  kind: fc.constant("outcome" as const),
  at: fc.nat(),
  id: hostile,
  outcome: fc.record({ code: hostile, owner: hostile }),
});
const chains = fc
  .array(fc.oneof(intent, outcome), { minLength: 3, maxLength: 12 })
  .map((entries) => linkEntries(CHAIN_START, entries));

function checkLinks(links: readonly ChainLink[], head?: ChainLink, noted?: string): ChainCheck {
  const check = new ChainCheck(CHAIN_START, noted);
  for (const link of links) check.add(link);
  check.end(head);
  return check;
}

const last = (links: readonly ChainLink[]) => links.at(-1) as ChainLink;

it("an untouched chain verifies, both from the store and as exported lines", () => {
  fc.assert(
    fc.property(chains, (links) => {
      expect(checkLinks(links, last(links)).fault).toBeUndefined();
      const lines = links.map(formatExportLine);
      for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]+\n$/);
      const read = lines.map((line) => parseExportLine(line.trimEnd()));
      expect(read).toEqual(links);
    }),
  );
});

it("a removed, duplicated, swapped or inserted entry is found at the first affected number", () => {
  const damage = fc.constantFrom("remove", "double", "swap", "insert");
  fc.assert(
    fc.property(chains, damage, fc.nat(), (links, kind, seed) => {
      const at = seed % (links.length - 1);
      const [one, two] = [links[at] as ChainLink, links[at + 1] as ChainLink];
      const damaged = [...links];
      if (kind === "remove") damaged.splice(at, 1);
      if (kind === "double") damaged.splice(at, 0, one);
      if (kind === "swap") damaged.splice(at, 2, two, one);
      if (kind === "insert") {
        const text = two.text.replace(/"at":\d+/, '"at":7');
        damaged.splice(at + 1, 0, {
          number: two.number,
          prev: one.hash,
          text,
          hash: hashEntry(one.hash, text),
        });
      }
      const { fault } = checkLinks(damaged, last(links));
      const first = { remove: at + 1, double: at + 2, swap: at + 1, insert: at + 3 }[kind];
      expect(fault?.number).toBe(first);
    }),
  );
});

it("any altered field of an entry is found at that entry", () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), (links, seed, spot) => {
      const at = seed % links.length;
      const link = links[at] as ChainLink;
      const place = spot % link.text.length;
      const other = link.text[place] === "7" ? "8" : "7";
      const text = link.text.slice(0, place) + other + link.text.slice(place + 1);
      for (const bad of [
        { ...link, text },
        { ...link, hash: hashEntry(link.prev, text) },
        { ...link, prev: hashEntry(link.prev, "") },
        { ...link, number: link.number + 1 },
      ]) {
        expect(checkLinks(links.with(at, bad), last(links)).fault?.number).toBe(link.number);
      }
    }),
  );
});

it("an altered entry with a recomputed hash is found at the next entry or by the recorded end", () => {
  fc.assert(
    fc.property(chains, fc.nat(), (links, seed) => {
      const at = seed % links.length;
      const link = links[at] as ChainLink;
      const text = link.text.replace(/"at":\d+/, '"at":9999999999999');
      const bad = { ...link, text, hash: hashEntry(link.prev, text) };
      const { fault } = checkLinks(links.with(at, bad), last(links));
      expect(fault?.number).toBe(Math.min(link.number + 1, links.length));
    }),
  );
});

it("a truncated or rewritten chain does not contain a previously noted hash", () => {
  fc.assert(
    fc.property(chains, fc.nat(), (links, seed) => {
      const cut = links.slice(0, seed % links.length);
      const noted = last(links).hash;
      expect(checkLinks(cut, last(links)).fault?.number).toBe(cut.length + 1);
      expect(checkLinks(cut, undefined, noted)).toMatchObject({ fault: undefined, notedAt: undefined });
      expect(checkLinks(links, undefined, noted).notedAt).toBe(links.length);
      const entries = links.map(({ text }) => JSON.parse(text));
      const anew = linkEntries(
        CHAIN_START,
        entries.map((entry, n) => (n === 0 ? { ...entry, at: entry.at + 1 } : entry)),
      );
      expect(checkLinks(anew, last(anew), noted)).toMatchObject({ fault: undefined, notedAt: undefined });
    }),
  );
});

it("two different entries never have the same canonical text", () => {
  fc.assert(
    fc.property(intent, intent, (one, two) => {
      const [a, b] = linkEntries(CHAIN_START, [one, two]).map(({ text }) =>
        text.replace(/^\{"number":\d+/, ""),
      );
      expect(a === b).toBe(JSON.stringify(one) === JSON.stringify(two));
    }),
  );
});

it("the text of an entry contains its input and is valid under the audit schema", () => {
  fc.assert(
    fc.property(intent, (entry) => {
      const [link] = linkEntries(CHAIN_START, [entry]);
      const read = JSON.parse((link as ChainLink).text);
      expect(read).toEqual(JSON.parse(JSON.stringify({ number: 1, ...entry })));
      expect(AuditEntry.safeParse(read).success).toBe(true);
    }),
  );
});
