import { describe, expect, it } from "vitest";
import { applyCompletion } from "@/components/ui/search/completion.ts";
import { FORMAT_NAMES, LockKind } from "@/lib/contract/format.ts";
import { LIVENESS_STATES } from "@/lib/contract/liveness.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { search } from "@/lib/i18n/en/search.ts";
import { describeFilterError, parseFilter } from "@/lib/query/filter.ts";
import { createFilterCompletion } from "./filter-completion.ts";

const completionOf = createFilterCompletion({ search, liveness: lock.livenessHints });

const offered = (text: string, caret = text.length) =>
  completionOf(text, caret)?.items.map((item) => item.text) ?? [];

describe("filter completion", () => {
  it("completion offers every filter field at the start of a term", () => {
    expect(offered("")).toContain("held>");
    expect(offered("billing ")).toContain("is:needs_attention");
    expect(offered("liv")).toEqual(["liveness:"]);
    expect(offered("HE")).toEqual(["held>", "held<"]);
    expect(offered("billing")).toEqual([]);
  });

  it("completion offers every value of a field", () => {
    expect(offered("liveness:")).toEqual(LIVENESS_STATES.map((state) => `liveness:${state}`));
    expect(offered("kind:").sort()).toEqual(LockKind.options.map((kind) => `kind:${kind}`).sort());
    expect(offered("format:").sort()).toEqual(FORMAT_NAMES.map((name) => `format:${name}`).sort());
    expect(offered("format:sem")).toEqual(["format:redis-semaphore"]);
    expect(offered("held>7")).toEqual(["held>7ms", "held>7s", "held>7m", "held>7h", "held>7d"]);
  });

  it("completion offers no term that the API rejects or reads as plain text", () => {
    const values = offered("").flatMap((field) => offered(field));
    expect(values.length).toBeGreaterThan(40);
    for (const value of values) {
      expect(describeFilterError(value), value).toBeUndefined();
      expect(parseFilter(value)[0]?.field, value).not.toBe("any");
    }
  });

  it("completion offers nothing for a complete term or inside quotes", () => {
    expect(offered("held>typical")).toEqual([]);
    expect(offered('key:="a liv"', 'key:="a ver'.length)).toEqual([]);
  });

  it("completion replaces only the term under the caret", () => {
    const text = "liv billing";
    const completion = completionOf(text, 3);
    expect(completion).toMatchObject({ from: 0, to: 3 });
    if (completion === undefined) throw new Error("There is a completion.");
    expect(applyCompletion(text, completion, "liveness:")).toEqual({ text: "liveness: billing", caret: 9 });
    expect(applyCompletion("is billing", { ...completion, to: 2 }, "is:needs_attention")).toEqual({
      text: "is:needs_attention billing",
      caret: 19,
    });
    expect(applyCompletion("is", { ...completion, to: 2 }, "is:needs_attention")).toEqual({
      text: "is:needs_attention ",
      caret: 19,
    });
  });
});
