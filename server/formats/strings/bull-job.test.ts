import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJobLockName } from "./bull-job.ts";

/** A regular expression that is equivalent to the parser, but takes quadratic time. */
const EXPRESSION = /^(?<queue>.+?):(?<id>repeat:.+:\d+|[^:]+):lock$/s;

it("job lock names are split into queue and job as the regular expression splits them", () => {
  const part = fc.constantFrom("a", ":", "::", "repeat", ":repeat:", "1", "17", "lock", ":lock", "\n");
  const name = fc.array(part, { maxLength: 12 }).map((parts) => `${parts.join("")}:lock`);
  fc.assert(
    fc.property(fc.oneof(name, fc.string()), (text) => {
      const { queue, id } = EXPRESSION.exec(text)?.groups ?? {};
      expect(parseJobLockName(text)).toEqual(queue === undefined ? undefined : { queue, id });
    }),
    { numRuns: 5000 },
  );
});
