import fc from "fast-check";
import { expect, it } from "vitest";
import { parseCompanion } from "./companion.ts";
import { parseReleaseRequest } from "./release-request.ts";

const REQUEST = ["rr_1", "refused", 1_795_216_504_643, "mei", "migration", "2 minutes"];

it("a stored request is read", () => {
  expect(parseReleaseRequest(JSON.stringify(REQUEST))).toEqual({
    ...{ requestId: "rr_1", state: "refused", requestedAt: 1_795_216_504_643 },
    ...{ requestedBy: "mei", reason: "migration", answerText: "2 minutes" },
  });
});

it.for([
  ["an id with other characters", ["rr 1", ...REQUEST.slice(1)]],
  ["an unknown state", ["rr_1", "released", ...REQUEST.slice(2)]],
  ["a time that is not a whole number", ["rr_1", "refused", 1.5, ...REQUEST.slice(3)]],
  ["a reason of 201 characters", [...REQUEST.slice(0, 4), "x".repeat(201), null]],
  ["an answer of 201 characters", [...REQUEST.slice(0, 5), "x".repeat(201)]],
  ["a missing field", REQUEST.slice(0, 5)],
  ["an additional field", [...REQUEST, 1]],
  ["an object", { requestId: "rr_1" }],
] as const)("a forged request with %s counts as missing", ([, stored]) => {
  expect(parseReleaseRequest(JSON.stringify(stored))).toBeUndefined();
  const record = JSON.stringify({ service: "orders", releaseRequest: stored });
  const companion = parseCompanion(`t\n\n1\n7\n1\n1\n0\n0\n1\ntoken\nme\n\n${record}`);
  expect(companion?.releaseRequested).toBeUndefined();
  expect(companion?.receivesReleaseRequests).toBeUndefined();
  expect(companion?.record).toEqual({ service: "orders" });
});

it("no text makes the parser fail, and what it returns is limited", () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(fc.jsonValue()).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(text, (stored) => {
      const request = parseReleaseRequest(stored);
      expect(JSON.stringify(request ?? "").length).toBeLessThan(4096);
    }),
  );
  expect(parseReleaseRequest(`["rr_1","refused",1,"mei","${"x".repeat(8000)}",null]`)).toBeUndefined();
});
