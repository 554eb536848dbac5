import { expect, it } from "vitest";
import { ApiError } from "./api-error.ts";
import { toLockkeeperError } from "./to-lockkeeper-error.ts";

it("the record of a holder has only the fields that the type declares", () => {
  const record = { service: "a", host: 1, pid: 7, trace: "b", secret: "c", __proto__: null };
  const problem = { key: "lock:a", holders: [{ owner: "me", count: 1, fence: "2", record }] };
  const error = toLockkeeperError(new ApiError({ code: "held", detail: "", problem }));
  expect(error.facts).toMatchObject({
    holders: [{ owner: "me", count: 1, fence: "2", record: { service: "a", pid: 7, trace: "b" } }],
  });
  expect(JSON.stringify(error.facts)).not.toMatch(/secret|host/);
});

it("the cycle of a deadlock is readable, whatever the server sent", () => {
  const read = (cycle: unknown) =>
    toLockkeeperError(new ApiError({ code: "deadlock", detail: "", problem: { key: "lock:a", cycle } }))
      .facts;
  expect(read([{ owner: "one", key: "lock:a" }, { key: "lock:b", keyBase64: "/w==" }, 7])).toEqual({
    key: "lock:a",
    cycle: [
      { owner: "one", key: "lock:a" },
      { owner: "", key: "lock:b", keyBase64: "/w==" },
      { owner: "", key: "" },
    ],
  });
  for (const cycle of [undefined, {}, "a"]) expect(read(cycle)).toEqual({ key: "lock:a", cycle: [] });
});
