import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countReads } from "../../test/support/count-reads.ts";
import { runInWorker, WORKER_TEST_TIMEOUT_MS } from "../../test/support/run-in-worker.ts";
import { decodeKey } from "../keys/key.ts";
import {
  describeFilterError,
  type FilterSubject,
  formatExactTerm,
  isTimeDependent,
  matchesFilter,
  parseFilter,
  selectsUnlisted,
} from "./filter.ts";
import { matchesGlob } from "./glob.ts";

const SUBJECT: FilterSubject = {
  key: "lock:Orders:42",
  owners: ["checkout@pod-7", "5f0c0c1e:1"],
  records: ["Billing", "nightly invoice run"],
};
const isMatch = (filter: string, subject = SUBJECT) => matchesFilter(parseFilter(filter), subject);

describe("filter parsing", () => {
  it("a word with a field is read as a glob and any other word as text", () => {
    expect(parseFilter("key:lock:* owner:Pod-? Billing")).toEqual([
      { field: "key", glob: "lock:*" },
      { field: "owner", glob: "pod-?" },
      { field: "any", text: "billing" },
    ]);
  });

  it("an empty or blank filter has no terms", () => {
    expect(parseFilter("")).toEqual([]);
    expect(parseFilter(" \t\n ")).toEqual([]);
  });

  it("the fields format, kind, confidence and liveness are recognized", () => {
    expect(parseFilter("confidence:possible format:Redlock* kind:read liveness:overdue")).toEqual([
      { field: "confidence", glob: "possible" },
      { field: "format", glob: "redlock*" },
      { field: "kind", glob: "read" },
      { field: "liveness", glob: "overdue" },
    ]);
  });

  it.each(["key:", "owner:", "format:", "port:a", ":key", "xkey:a"])(
    "the word %s is read as plain text",
    (word) => {
      expect(parseFilter(word)).toEqual([{ field: "any", text: word }]);
    },
  );
});

describe("exact filter terms", () => {
  const OWNERS = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", ":", "=", "*", "~", "\n", "\t"), maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.uint8Array({ maxLength: 40 }).map(decodeKey),
  );

  it("an exact term matches only the identical value", () => {
    fc.assert(
      fc.property(OWNERS, OWNERS, fc.constantFrom("", "abc ", "key:* "), (owner, other, before) => {
        fc.pre(owner !== "");
        const terms = parseFilter(`${before}${formatExactTerm("owner", owner)} liveness:="overdue"`);
        expect(terms.slice(-2)).toEqual([
          { field: "owner", exact: owner },
          { field: "liveness", exact: "overdue" },
        ]);
        const subject = { key: "abc", owners: [other], records: [], liveness: "overdue" };
        expect(matchesFilter(terms, subject)).toBe(owner === other);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["owner:=abc", [{ field: "owner", exact: "abc" }]],
    ["owner:=~_w", [{ field: "owner", exact: decodeKey(Uint8Array.of(255)) }]],
    ['owner:="~_w"', [{ field: "owner", exact: "~_w" }]],
    ["owner:=~!", [{ field: "owner", exact: "~!" }]],
    [
      'owner:="a b',
      [
        { field: "owner", exact: '"a' },
        { field: "any", text: "b" },
      ],
    ],
    [
      'owner:="a"b c',
      [
        { field: "owner", exact: '"a"b' },
        { field: "any", text: "c" },
      ],
    ],
    [
      'service:="" host:x',
      [
        { field: "service", exact: "" },
        { field: "host", glob: "x" },
      ],
    ],
    ["held>5m", [{ field: "held", comparing: ">", ms: 300_000 }]],
    ["held<1.5s", [{ field: "held", comparing: "<", ms: 1500 }]],
    ["held>typical", [{ field: "held", comparing: ">", ms: "typical" }]],
    ["remaining<250ms", [{ field: "remaining", comparing: "<", ms: 250 }]],
    ["remaining>2h", [{ field: "remaining", comparing: ">", ms: 7_200_000 }]],
    ["held>1d", [{ field: "held", comparing: ">", ms: 86_400_000 }]],
    ["waiters>0", [{ field: "waiters", comparing: ">", number: 0 }]],
    ["count<12", [{ field: "count", comparing: "<", number: 12 }]],
    ["is:needs_attention", [{ field: "is", state: "needs_attention" }]],
    ["is:unlisted", [{ field: "is", state: "unlisted" }]],
    ["is:listed", [{ field: "is", state: "listed" }]],
    ["is:normal", [{ field: "any", text: "is:normal" }]],
    ["a>5 fence>3", ["a>5", "fence>3"].map((text) => ({ field: "any", text }))],
    ['owner:="held>5m"', [{ field: "owner", exact: "held>5m" }]],
  ])("the filter %s is parsed into the expected terms", (filter, terms) => {
    expect(parseFilter(filter)).toEqual(terms);
  });

  // With quadratic time, this test would take hours.
  it(
    "parse time grows linearly with the filter length",
    async () => {
      const words = ['owner:="', 'owner:="a ', 'owner:="\\" ', "\\", '"'];
      const calls = words.map((word) => [word.repeat(200_000)]);
      await runInWorker(new URL("filter.ts", import.meta.url), "parseFilter", calls);
    },
    WORKER_TEST_TIMEOUT_MS,
  );
});

describe("unlisted locks", () => {
  it.each([
    ["", false],
    ["orders", false],
    ["key:lock:*", false],
    ["key:lock:?", false],
    ["key:lock:[ab]", false],
    ["owner:=me is:needs_attention", false],
    ["is:listed", false],
    ["is:unlisted", true],
    ["orders is:unlisted", true],
    ["confidence:possible", true],
    ["confidence:*", true],
    ["confidence:=possible", true],
    ["key:lock:a", true],
    ['key:="lock:*"', true],
  ])("whether the filter %s also matches unlisted locks: %s", (filter, expected) => {
    expect(selectsUnlisted(parseFilter(filter))).toBe(expected);
  });

  it.each([
    ["is:unlisted", false],
    ["is:listed", false],
    ["is:needs_attention", true],
  ])("whether the result of %s changes with time: %s", (filter, expected) => {
    expect(isTimeDependent(filter)).toBe(expected);
  });
});

const A_TIME = "a time such as 500ms, 30s, 5m, 2h or 1d";

describe("filter validation", () => {
  it.each([
    ["", undefined],
    ["key:held>x held>5m remaining<1s waiters>0 count>1 is:needs_attention", undefined],
    ["held-up heldup> a>b", undefined],
    ["held>", `held must be compared with ${A_TIME}, or with typical`],
    ["held>5", `held must be compared with ${A_TIME}, or with typical`],
    ["held>=5m", `held must be compared with ${A_TIME}, or with typical`],
    ["key:a held<5M", `held must be compared with ${A_TIME}, or with typical`],
    ["remaining<typical", `remaining must be compared with ${A_TIME}`],
    ["remaining>-1s", `remaining must be compared with ${A_TIME}`],
    ["waiters>many", "waiters must be compared with a whole number"],
    ["count>1.5", "count must be compared with a whole number"],
    ["waiters>0 count<1s", "count must be compared with a whole number"],
  ])("validation of the filter %s returns %s", (filter, fault) => {
    expect(describeFilterError(filter)).toBe(fault);
  });
});

it("filters that depend on the current time are recognized", () => {
  for (const filter of ["a held>1s", "remaining<1s", "held<typical", "is:needs_attention"])
    expect(isTimeDependent(filter)).toBe(true);
  for (const filter of ["waiters>0 count>1", "held", "key:held>1s", 'owner:="is:needs_attention"'])
    expect(isTimeDependent(filter)).toBe(false);
});

it("a comparison matches nothing but locks", () => {
  for (const filter of ["held>0ms", "count>0", "is:needs_attention"]) expect(isMatch(filter)).toBe(false);
});

describe("filter matching", () => {
  it("an empty filter matches everything", () => {
    expect(isMatch("")).toBe(true);
  });

  it.each([
    ["key:lock:*:42", true],
    ["key:LOCK:orders:??", true],
    ["key:orders", false],
    ["key:*orders", false],
    ["key:checkout*", false],
  ])("%s must be compared with the whole key: %s", (filter, met) => {
    expect(isMatch(filter)).toBe(met);
  });

  it.each([
    ["owner:*@POD-7", true],
    ["owner:5f0c0c1e:?", true],
    ["owner:pod", false],
    ["owner:lock*", false],
  ])("%s must be compared with each owner: %s", (filter, met) => {
    expect(isMatch(filter)).toBe(met);
  });

  it.each([
    ["format:redlock", true],
    ["format:REDSYNC", true],
    ["format:red*", true],
    ["format:redis", false],
    ["kind:fair", true],
    ["kind:lock", false],
    ["liveness:overdue", true],
    ["liveness:overdue kind:read", false],
    ["liveness:*", true],
  ])("%s must be compared with format, candidate formats, kind and liveness: %s", (filter, met) => {
    const subject = { ...SUBJECT, formats: ["redlock", "redsync"], kind: "fair", liveness: "overdue" };
    expect(isMatch(filter, subject)).toBe(met);
    expect(isMatch(filter, SUBJECT)).toBe(false);
  });

  it.each(["oRDers", "pod-7", "BILLING", "invoice"])(
    "the text %s is found in key, owners and records",
    (text) => {
      expect(isMatch(text)).toBe(true);
    },
  );

  it("* and ? in plain text match themselves", () => {
    expect(isMatch("orders*")).toBe(false);
    expect(isMatch("a*b?", { key: "xA*b?", owners: [], records: [] })).toBe(true);
  });

  it("a filter matches only if every term matches", () => {
    expect(isMatch("billing key:lock:* 7")).toBe(true);
    expect(isMatch("billing key:lock:* absent")).toBe(false);
  });
});

/** Matches a glob with a simple reference implementation, which can take exponential time. */
function isReferenceMatch(glob: string, text: string): boolean {
  if (glob === "") return text === "";
  const rest = glob.slice(1);
  if (glob.startsWith("*"))
    return isReferenceMatch(rest, text) || (text !== "" && isReferenceMatch(glob, text.slice(1)));
  return (
    text !== "" && (glob.startsWith("?") || glob[0] === text[0]) && isReferenceMatch(rest, text.slice(1))
  );
}

describe("glob matching", () => {
  it("a glob matches exactly what the reference implementation matches", () => {
    const letters = (unit: string[], maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...unit), maxLength });
    fc.assert(
      fc.property(letters(["*", "?", "a", "b"], 7), letters(["a", "b", "*", "?"], 7), (glob, text) => {
        expect(matchesGlob(glob, text)).toBe(isReferenceMatch(glob, text));
      }),
      { numRuns: 2000 },
    );
  });

  it("a star matches any run of characters and a question mark exactly one", () => {
    expect(matchesGlob("*", "")).toBe(true);
    expect(matchesGlob("?", "")).toBe(false);
    expect(matchesGlob("a*", "a")).toBe(true);
    expect(matchesGlob("a?", "a")).toBe(false);
  });

  it("matching a hostile glob takes a bounded number of steps", () => {
    const hostile = `${"*a".repeat(145)}*b`;
    const { text, reads } = countReads("a".repeat(1024), 4 * 300 * 1024);
    expect(matchesGlob(hostile, text)).toBe(false);
    expect(reads()).toBeGreaterThan(1024);
  });
});
