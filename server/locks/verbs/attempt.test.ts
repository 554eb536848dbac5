import { describe, expect, it } from "vitest";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { connect } from "../../redis/connect.ts";
import { attempt } from "./attempt.ts";

describe("retried calls", () => {
  it("a retried call fails within 1 s of its connection being closed", async () => {
    const nowhere = connect({ options: { host: "127.0.0.1", port: 1 }, label: "nowhere", db: 0 }, "test");
    const tried = attempt(nowhere, () => Promise.resolve("done"), { budgetMs: 60_000 });
    const ended = expect(tried).rejects.toThrow(UnavailableError);
    nowhere.disconnect();
    const startedAt = performance.now();
    await ended;
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
