import { describe, expect, it } from "vitest";
import type { Line } from "./figure.ts";
import { formatTable } from "./table.ts";

const line = (figure: string, ours: number, vs: Line["vs"], theirs: object): Line => ({
  figure,
  unit: "pairs/s",
  ours,
  vs,
  conditions: { cores: 2, cpu: "a CPU", theirs, leftOut: { etcd: "there is none" } },
});

describe("benchmark table", () => {
  it("the benchmark table has one row per figure, with each ratio beside the competitor's value", () => {
    const table = formatTable([line("http.pairs.c1", 80, { bare: 0.8, next: 4 }, { bare: 100, next: 20 })]);
    expect(table).toContain("| http.pairs.c1 | pairs/s | 80 | bare 0.8 (100), next 4 (20) |  |");
    expect(table).toContain("2 cores, a CPU");
    expect(table).toContain("Left out: etcd (there is none).");
  });

  it("the benchmark table marks each goal as reached, missed or not measured", () => {
    const rows = formatTable([
      line("http.pairs.c32", 80, { bare: 0.59 }, {}),
      line("http.cpu", 0.05, { bare: 1.7 }, {}),
      line("http.mem.waiter", 9000, {}, {}),
    ]);
    expect(rows).toContain("bare ≥ 0.6: MISSED; next ≥ 8: not measured |");
    expect(rows).toContain("bare ≤ 1.7: reached |");
    expect(rows).toContain("≤ 8192: MISSED |");
  });

  it("lists what failed", () => {
    const failures = [{ figure: "http.pairs.c1", contender: "etcd", failed: "it did not start" }];
    expect(formatTable([], failures)).toContain("FAILED http.pairs.c1, etcd: it did not start");
  });
});
