import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiveRows, LiveWindow } from "../../../lib/contract/live.ts";
import { sampleLock } from "../../../lib/contract/sample-lock.ts";
import { windowAfter } from "../../../lib/live/apply-row-changes.ts";
import type { Window } from "./window-diff.ts";
import { changeOf } from "./window-diff.ts";

const rowOf = (key: number, count: number) =>
  JSON.stringify({ ...sampleLock({ asOf: 70_000 }), key: `lock:${key}`, remainingMs: count });

/** Keys in order, each once, with what they look like. */
const window = fc
  .uniqueArray(fc.tuple(fc.nat(30), fc.nat(2)), { selector: ([key]) => key, maxLength: 12 })
  .map((rows): Window => {
    const texts = rows.sort(([a], [b]) => a - b).map(([key, count]) => rowOf(key, count));
    return { filter: "", sort: "key", offset: 0, total: 100 + texts.length, held: 200, rows: texts };
  });

const shown = ({ rows }: Window) => rows.map((row) => JSON.parse(row));

/** As a browser: the whole window once, then what changes in it. */
function browser() {
  let picture: LiveWindow | undefined;
  return {
    hear({ name, text }: { name: string; text: string }): void {
      if (name === "window") picture = LiveWindow.parse(JSON.parse(text));
      else picture = picture && windowAfter(picture, LiveRows.parse(JSON.parse(text)));
    },
    get items() {
      return picture?.items;
    },
  };
}

describe("live window changes", () => {
  it("window changes turn any window into any other", () => {
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 6 }), (windows) => {
        const tab = browser();
        let before: Window | undefined;
        for (const after of windows) {
          const change = changeOf(before, after, 1);
          if (change !== undefined) tab.hear(change);
          expect(tab.items).toEqual(shown(after));
          before = after;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a window change contains only the row that changed", () => {
    const rows = Array.from({ length: 100 }, (_, key) => rowOf(key, 0));
    const before: Window = { filter: "", sort: "key", offset: 0, total: 100, held: 100, rows };
    const change = changeOf(before, { ...before, rows: rows.with(50, rowOf(50, 1)) }, 1);
    expect(change?.name).toBe("rows");
    expect(change?.text.length).toBeLessThan(2 * rowOf(50, 1).length + 500);
  });

  it("unchanged rows cause no window change", () => {
    const before: Window = { filter: "", sort: "key", offset: 0, total: 1, held: 1, rows: [rowOf(1, 0)] };
    expect(changeOf(before, { ...before, rows: [...before.rows] }, 1)).toBeUndefined();
  });
});
