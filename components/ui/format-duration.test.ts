import { describe, expect, it } from "vitest";
import { ui } from "@/lib/i18n/en/ui.ts";
import { ui as chinese } from "@/lib/i18n/zh/ui.ts";
import {
  formatAgo,
  formatDate,
  formatDayMinute,
  formatElapsed,
  formatFence,
  formatRemaining,
  formatSpan,
} from "./format-duration.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;

describe("durations", () => {
  it("a remaining time is formatted with its unit and never negative", () => {
    expect(
      [-5, 0, 99, 6540, 59_999, m, 9 * m + 41 * s, 2 * h + 11 * m, 76 * h].map((ms) =>
        formatRemaining(ms, ui),
      ),
    ).toEqual(["0.0 s", "0.0 s", "0.0 s", "6.5 s", "59.9 s", "1 m 00 s", "9 m 41 s", "2 h 11 m", "3 d 4 h"]);
  });

  it("an elapsed time is formatted with its unit", () => {
    expect([3640, 51_400, 14 * m + 2 * s].map((ms) => formatElapsed(ms, ui))).toEqual([
      "3.6 s",
      "51 s",
      "14 m 02 s",
    ]);
    expect([0.4, 12.3, 3640].map((ms) => formatSpan(ms, ui))).toEqual(["0 ms", "12 ms", "3.6 s"]);
    expect([300, 4200, 3 * m].map((ms) => formatAgo(ms, ui))).toEqual([
      "just now",
      "4 s ago",
      "3 m 00 s ago",
    ]);
    expect([300, 4200].map((ms) => formatAgo(ms, chinese))).toEqual(["刚刚", "4 秒前"]);
  });

  it("a duration in Chinese has Chinese units", () => {
    expect([6540, 12 * m + 40 * s, 2 * h + 11 * m, 76 * h].map((ms) => formatRemaining(ms, chinese))).toEqual(
      ["6.5 秒", "12 分 40 秒", "2 小时 11 分", "3 天 4 小时"],
    );
    expect(formatSpan(12.3, chinese)).toBe("12 毫秒");
  });

  it("a date has the same format in every language, with the time zone", () => {
    const at = new Date(2026, 10, 21, 21, 5, 1).getTime();
    expect(formatDate(at)).toMatch(/^2026-11-21 21:05:01 \S+$/);
    expect(formatDayMinute(at)).toBe("11-21 21:05");
  });

  it("a fencing token is shortened to its last digits", () => {
    expect(formatFence("1763647401104822")).toBe("…104 822");
    expect(formatFence("42")).toBe("42");
  });
});
