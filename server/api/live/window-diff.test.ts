import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiveRows, LiveWindow } from "../../../lib/contract/live.ts";
import { createSampleLock } from "../../../lib/contract/sample-lock.ts";
import { applyRowChanges } from "../../../lib/live/apply-row-changes.ts";
import type { RowWindow } from "./window-diff.ts";
import { diffWindows } from "./window-diff.ts";

const createRow = (key: number, count: number) =>
  JSON.stringify({ ...createSampleLock({ asOf: 70_000 }), key: `lock:${key}`, remainingMs: count });

/** Generates a window with rows in the order of their unique keys. */
const window = fc
  .uniqueArray(fc.tuple(fc.nat(30), fc.nat(2)), { selector: ([key]) => key, maxLength: 12 })
  .map((rows): RowWindow => {
    const texts = rows.sort(([a], [b]) => a - b).map(([key, count]) => createRow(key, count));
    return { filter: "", sort: "key", offset: 0, total: 100 + texts.length, held: 200, rows: texts };
  });

const parseRows = ({ rows }: RowWindow) => rows.map((row) => JSON.parse(row));

/** Creates the rows of a browser, to which `window` and `rows` messages are applied. */
function createBrowserRows() {
  let picture: LiveWindow | undefined;
  return {
    hear({ name, text }: { name: string; text: string }): void {
      if (name === "window") picture = LiveWindow.parse(JSON.parse(text));
      else picture = picture && applyRowChanges(picture, LiveRows.parse(JSON.parse(text)));
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
        const tab = createBrowserRows();
        let before: RowWindow | undefined;
        for (const after of windows) {
          const change = diffWindows(before, after, 1);
          if (change !== undefined) tab.hear(change);
          expect(tab.items).toEqual(parseRows(after));
          before = after;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a window change contains only the row that changed", () => {
    const rows = Array.from({ length: 100 }, (_, key) => createRow(key, 0));
    const before: RowWindow = { filter: "", sort: "key", offset: 0, total: 100, held: 100, rows };
    const change = diffWindows(before, { ...before, rows: rows.with(50, createRow(50, 1)) }, 1);
    expect(change?.name).toBe("rows");
    expect(change?.text.length).toBeLessThan(2 * createRow(50, 1).length + 500);
  });

  it("unchanged rows cause no window change", () => {
    const before: RowWindow = {
      filter: "",
      sort: "key",
      offset: 0,
      total: 1,
      held: 1,
      rows: [createRow(1, 0)],
    };
    expect(diffWindows(before, { ...before, rows: [...before.rows] }, 1)).toBeUndefined();
  });
});
