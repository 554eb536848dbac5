import { expect, it } from "vitest";
import { buildAcquire, buildHistory } from "../checks/history-builder.ts";

it("a deadline that passed before the response was read may date back to the request", () => {
  const [invoke, ok] = buildAcquire("a", 1, 3000, { tookMs: 2500 });
  const { deadline: _deadline, ...late } = ok ?? { op: "acquire", type: "ok", atMs: 0 };
  const [claim] = buildHistory(invoke ?? [], late).claims;
  expect(claim).toMatchObject({ sent: 500e6, deadline: 500e6, end: 500e6, ack: 3000e6, endedBy: "deadline" });
});
