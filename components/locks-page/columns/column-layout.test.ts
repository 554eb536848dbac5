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
import { layOutColumns } from "./column-layout.ts";
import { findResizeHandle, resizeColumn } from "./column-resize.ts";
import { ALL_COLUMNS, COLUMNS, type ColumnId } from "./columns.ts";

const widthOf = (id: ColumnId, layout: ReturnType<typeof layOutColumns>) =>
  layout.columns.find((column) => column.id === id)?.px;
const sum = (layout: ReturnType<typeof layOutColumns>) => layout.columns.reduce((all, { px }) => all + px, 0);

describe("column layout", () => {
  it("all columns are shown where there is room, and the key column takes the rest", () => {
    const layout = layOutColumns(ALL_COLUMNS, {}, 1340);
    expect(layout.noRoom).toEqual([]);
    expect(sum(layout)).toBe(1340);
    expect(widthOf("owner", layout)).toBe(COLUMNS.get("owner")?.typicalPx);
  });

  it("the key column keeps 260 px beside an open event panel, and less important columns are hidden", () => {
    const layout = layOutColumns(ALL_COLUMNS, {}, 801);
    expect(widthOf("key", layout)).toBeGreaterThanOrEqual(260);
    expect(layout.columns.map(({ id }) => id)).toEqual([
      "key",
      "owner",
      "remaining",
      "held",
      "attention",
      "waiters",
    ]);
    expect(layout.noRoom[0]).toBe("fence");
  });

  it("the key column is limited to 640 px on the widest screen", () => {
    const layout = layOutColumns(ALL_COLUMNS, {}, 2200);
    expect(widthOf("key", layout)).toBe(640);
    expect(sum(layout)).toBeLessThanOrEqual(2200);
  });

  it("a custom column width is kept while there is room", () => {
    expect(widthOf("owner", layOutColumns(ALL_COLUMNS, { owner: 333 }, 1500))).toBe(333);
    expect(widthOf("owner", layOutColumns(ALL_COLUMNS, { owner: 2 }, 1500))).toBe(
      COLUMNS.get("owner")?.leastPx,
    );
  });

  it("no column is narrower than its minimum, and the layout never exceeds the available width", () => {
    const columns = fc
      .shuffledSubarray([...ALL_COLUMNS])
      .map((ids) => parseColumnChoice(ids.join(",")) ?? ALL_COLUMNS);
    const widths = fc.dictionary(fc.constantFrom(...ALL_COLUMNS), fc.integer({ min: 1, max: 3000 }));
    fc.assert(
      fc.property(columns, widths, fc.integer({ min: 260, max: 4000 }), (chosen, given, room) => {
        const layout = layOutColumns(chosen, given, room);
        const shown = layout.columns.map(({ id }) => id);
        expect(shown).toEqual(chosen.filter((id) => !layout.noRoom.includes(id)));
        expect(shown).toContain("key");
        for (const { id, px } of layout.columns)
          expect(px).toBeGreaterThanOrEqual(COLUMNS.get(id)?.leastPx ?? 0);
        // Each is rounded.
        expect(sum(layout)).toBeLessThanOrEqual(room + shown.length);
      }),
    );
  });
});

describe("column resizing", () => {
  const move = (room: number, before: number, byPx: number) => {
    const { columns } = layOutColumns(ALL_COLUMNS, {}, room);
    const edge = findResizeHandle(columns, before);
    if (edge === undefined) throw new Error("There is no such edge");
    const after = layOutColumns(
      ALL_COLUMNS,
      resizeColumn(columns, edge, edge.px + edge.towards * byPx),
      room,
    ).columns;
    const edgesOf = (shown: typeof columns) =>
      shown.map((_, at) => shown.slice(0, at).reduce((sum, { px }) => sum + px, 0));
    return { was: edgesOf(columns), is: edgesOf(after), columns, after };
  };

  it("a dragged column edge follows the pointer, and the columns to its right do not move", () => {
    for (const room of [1340, 2200]) {
      const { was, is } = move(room, 4, 20);
      expect(is[4]).toBe((was[4] ?? 0) + 20);
      if (room === 1340) expect(is.slice(5)).toEqual(was.slice(5));
    }
  });

  it("a dragged edge takes width from other columns, down to their minimum, once the key has none left", () => {
    const { columns, after } = move(1100, 1, -40);
    expect(after[1]?.px).toBeGreaterThan(columns[1]?.px ?? 0);
    expect(after.map(({ id }) => id)).toEqual(columns.map(({ id }) => id));
    for (const { id, px } of after) expect(px).toBeGreaterThanOrEqual(COLUMNS.get(id)?.leastPx ?? 0);
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
