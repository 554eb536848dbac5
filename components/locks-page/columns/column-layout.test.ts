import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  moveColumn,
  parseColumnChoice,
  parseColumnWidths,
  serializeColumnChoice,
  serializeColumnWidths,
  setColumnShown,
} from "./column-choice.ts";
import { type ColumnLayout, layOutColumns } from "./column-layout.ts";
import { findResizeHandle, resizeColumn } from "./column-resize.ts";
import { ALL_COLUMNS, COLUMNS, type ColumnId } from "./columns.ts";

const widthOf = (id: ColumnId, layout: ColumnLayout) =>
  layout.columns.find((column) => column.id === id)?.px ?? 0;
const sum = ({ columns }: ColumnLayout) => columns.reduce((all, { px }) => all + px, 0);
const layOutDefault = (roomPx: number) => layOutColumns({ chosen: ALL_COLUMNS, widths: {} }, roomPx);

/** The columns that fit by default on every screen that is at least 1280 px wide. */
const FIRST_COLUMNS: readonly ColumnId[] = [
  "key",
  "owner",
  "count",
  "remaining",
  "held",
  "attention",
  "waiters",
];
const NAVIGATION_PX = { icons: 56, text: 184 };
const FILTERS_PX = 224;
const EVENTS_PX = 272;
/**
 * Width that is not available to columns: padding, borders, the scrollbar, and the checkbox and the release button of
 * each row.
 */
const TABLE_FRAME_PX = 24 + 2 + 15 + 32 + 92;

/** Returns the width that remains for the columns in a viewport, with default settings and an open event panel. */
function getRoom(viewportPx: number): number {
  const isWide = viewportPx >= 1600;
  const beside = isWide ? NAVIGATION_PX.text + FILTERS_PX : NAVIGATION_PX.icons;
  return viewportPx - beside - EVENTS_PX - TABLE_FRAME_PX;
}

describe("default column layout", () => {
  it.each([1280, 1366, 1440])("%i px shows the seven columns, and no format or fence", (viewportPx) => {
    const layout = layOutDefault(getRoom(viewportPx));
    expect(layout.columns.map(({ id }) => id)).toEqual(FIRST_COLUMNS);
    expect(widthOf("key", layout)).toBeGreaterThanOrEqual(200);
    expect(sum(layout)).toBeLessThanOrEqual(getRoom(viewportPx) + FIRST_COLUMNS.length);
  });

  it.each([1920, 2560])("%i px shows all columns, each with its typical width", (viewportPx) => {
    const layout = layOutDefault(getRoom(viewportPx));
    expect(layout.columns.map(({ id }) => id)).toEqual(ALL_COLUMNS);
    for (const { id, px } of layout.columns.filter(({ id }) => id !== "key"))
      expect(px, id).toBeGreaterThanOrEqual(COLUMNS.get(id)?.typicalPx ?? 0);
  });

  it("a wider viewport never shows fewer columns", () => {
    const shown = Array.from({ length: 200 }, (_, step) => layOutDefault(400 + step * 10).columns.length);
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
  });

  it("the count is shown where even the holder has no room", () => {
    const layout = layOutDefault(600);
    expect(layout.omitted).toContain("owner");
    expect(layout.columns.map(({ id }) => id)).toContain("count");
  });
});

describe("column layout", () => {
  it("the key column is limited to 640 px on the widest screen", () => {
    const layout = layOutDefault(2400);
    expect(widthOf("key", layout)).toBe(640);
    expect(sum(layout)).toBeLessThanOrEqual(2400);
  });

  it("secondary columns that were chosen are shown as long as they fit", () => {
    const chosen = ALL_COLUMNS.filter((id) => id !== "owner" && id !== "fence");
    expect(layOutColumns({ chosen, widths: {} }, getRoom(1280)).omitted).toEqual([]);
  });

  it("the column that the rows are sorted by is shown, chosen or not, whatever the room", () => {
    const hidden = layOutColumns({ chosen: ["key", "held"], widths: {}, sortedBy: "count" }, 900);
    expect(hidden.columns.map(({ id }) => id)).toEqual(["key", "count", "held"]);
    const narrow = layOutColumns({ chosen: ALL_COLUMNS, widths: {}, sortedBy: "fence" }, 400);
    expect(narrow.columns.map(({ id }) => id)).toContain("fence");
  });

  it("a custom column width is kept while there is room", () => {
    const withWidth = (px: number, roomPx: number) =>
      layOutColumns({ chosen: ALL_COLUMNS, widths: { owner: px } }, roomPx);
    expect(widthOf("owner", withWidth(333, 1500))).toBe(333);
    expect(widthOf("owner", withWidth(2, 1500))).toBe(COLUMNS.get("owner")?.leastPx);
  });

  it("no column is narrower than its minimum, and the layout never exceeds the available width", () => {
    const columns = fc
      .shuffledSubarray([...ALL_COLUMNS])
      .map((ids) => parseColumnChoice(ids.join(",")) ?? ALL_COLUMNS);
    const widths = fc.dictionary(fc.constantFrom(...ALL_COLUMNS), fc.integer({ min: 1, max: 3000 }));
    fc.assert(
      fc.property(columns, widths, fc.integer({ min: 200, max: 4000 }), (chosen, given, room) => {
        const layout = layOutColumns({ chosen, widths: given }, room);
        const shown = layout.columns.map(({ id }) => id);
        expect(shown).toEqual(chosen.filter((id) => !layout.omitted.includes(id)));
        expect(shown).toContain("key");
        for (const { id, px } of layout.columns)
          expect(px).toBeGreaterThanOrEqual(COLUMNS.get(id)?.leastPx ?? 0);
        // Rounding adds less than 1 px per column.
        expect(sum(layout)).toBeLessThanOrEqual(room + shown.length);
      }),
    );
  });
});

describe("column resizing", () => {
  const edgesOf = (shown: ColumnLayout["columns"]) =>
    shown.map((_, at) => shown.slice(0, at + 1).reduce((all, { px }) => all + px, 0));
  const drag = (id: ColumnId, byPx: number, room = 1340) => {
    const { columns } = layOutDefault(room);
    const at = columns.findIndex((column) => column.id === id);
    const edge = findResizeHandle(columns, at);
    if (edge === undefined) throw new Error(`${id} has no edge`);
    const widths = resizeColumn(columns, edge, edge.px + byPx);
    const after = layOutColumns({ chosen: ALL_COLUMNS, widths }, room).columns;
    return { at, was: edgesOf(columns), is: edgesOf(after), after };
  };

  it("every edge follows the pointer and moves no edge on its left, that of the key included", () => {
    for (const id of ["key", "owner", "remaining"] as const) {
      for (const byPx of [12, -8]) {
        const { at, was, is } = drag(id, byPx);
        expect(is[at], id).toBeCloseTo((was[at] ?? 0) + byPx, -0.3);
        expect(is.slice(0, at)).toEqual(was.slice(0, at));
      }
    }
  });

  it("a dragged edge takes width from the next columns, down to their minimum, and hides none", () => {
    const { was, is, after } = drag("key", 400, 1100);
    expect(is[0]).toBeGreaterThan(was[0] ?? 0);
    expect(after.length).toBe(was.length);
    for (const { id, px } of after) expect(px).toBeGreaterThanOrEqual(COLUMNS.get(id)?.leastPx ?? 0);
  });

  it("the last column has no edge", () => {
    const { columns } = layOutDefault(1340);
    expect(findResizeHandle(columns, columns.length - 1)).toBeUndefined();
  });
});

describe("column selection", () => {
  it("a column selection survives serialization and is null for the default", () => {
    const chosen: ColumnId[] = ["held", "key", "remaining"];
    expect(parseColumnChoice(serializeColumnChoice(chosen))).toEqual(chosen);
    expect(serializeColumnChoice(ALL_COLUMNS)).toBeNull();
  });

  it("a column selection always contains the key, each column once, and no unknown column", () => {
    expect(parseColumnChoice("held,<script>,held,fence")).toEqual(["key", "held", "fence"]);
    expect(parseColumnChoice("nonsense")).toBeUndefined();
    expect(parseColumnChoice(null)).toBeUndefined();
  });

  it("a restored column returns to its place, and a moved column moves one step at a time", () => {
    const without = setColumnShown(ALL_COLUMNS, "format", false);
    expect(without).not.toContain("format");
    expect(setColumnShown(without, "format", true)).toEqual(ALL_COLUMNS);
    expect(setColumnShown(ALL_COLUMNS, "key", false)).toEqual(ALL_COLUMNS);
    expect(moveColumn(["key", "held", "fence"], "fence", -1)).toEqual(["key", "fence", "held"]);
    expect(moveColumn(["key", "held"], "held", 1)).toEqual(["key", "held"]);
  });

  it("stored column widths are read, and invalid ones are dropped", () => {
    expect(parseColumnWidths(serializeColumnWidths({ owner: 200.4, held: 90 }))).toEqual({
      owner: 200,
      held: 90,
    });
    expect(parseColumnWidths("owner:wide,held:-3,nobody:100,fence:99999")).toEqual({});
  });
});
