import fc from "fast-check";
import { expect, it } from "vitest";
import { isTouching } from "./analyzed-history.ts";
import { Spans } from "./spans.ts";

const span = fc
  .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 10 }))
  .map(([from, forMs]) => ({ from, to: from + forMs }));

it("a span query returns every overlapping span in order, and no others", () => {
  fc.assert(
    fc.property(fc.array(span), span, (all, wanted) => {
      const expected = all
        .filter((each) => isTouching(each, wanted))
        .sort((one, other) => one.from - other.from);
      expect(new Spans(all).findTouching(wanted)).toEqual(expected);
    }),
  );
});
