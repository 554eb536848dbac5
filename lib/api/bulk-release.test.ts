import fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines } from "./bulk-release.ts";

test("streamed lines are complete however the network splits them", () => {
  const line = fc.string({ minLength: 1, maxLength: 12 }).map((text) => JSON.stringify({ text }));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
      const text = lines.map((each) => `${each}\n`).join("");
      const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length));
      let rest = "";
      const received = pieces.flatMap((piece) => {
        const split = splitLines(rest + piece);
        rest = split.rest;
        return split.lines;
      });
      expect(received).toEqual(lines);
      expect(rest).toBe("");
    }),
  );
});
