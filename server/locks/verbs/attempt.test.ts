import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { UnavailableError } from "../../errors/redis-errors.ts";
import { connect } from "../../redis/connect.ts";
import { NeverSentError } from "../../redis/failure.ts";
import { attempt } from "./attempt.ts";

vi.mock("node:timers/promises", { spy: true });

describe("retried calls", () => {
  it("a retried call fails within 1 s of its connection being closed", async () => {
    const nowhere = connect({ options: { host: "127.0.0.1", port: 1 }, label: "nowhere", db: 0 }, "test");
    const tried = attempt(nowhere, () => Promise.resolve("done"), { budgetMs: 60_000 });
    const ended = expect(tried).rejects.toThrow(UnavailableError);
    nowhere.disconnect();
    await ended;
    const pausedMs = vi.mocked(sleep).mock.calls.reduce((sum, [ms = 0]) => sum + ms, 0);
    expect(pausedMs).toBeLessThan(1000);
  });

  it("no attempt starts shortly before the end of the budget", async () => {
    const ready = { status: "ready", on: vi.fn(), off: vi.fn() } as const;
    const startedAt = performance.now();
    let lastAt = 0;
    const refuse = async () => {
      lastAt = performance.now() - startedAt;
      throw Object.assign(new Error("NOREPLICAS Not enough good replicas to write."), { name: "ReplyError" });
    };
    // With its pauses of 10 to 160 ms, the last attempt would start 10 ms before the end.
    const tried = attempt(ready, refuse, { budgetMs: 320 });
    await expect(tried).rejects.toThrow(UnavailableError);
    expect(lastAt).toBeLessThan(220);
  });

  it("a last attempt that waits for a connection in vain was not executed", async () => {
    const ready = { status: "ready", on: vi.fn(), off: vi.fn() } as const;
    const startedAt = performance.now();
    const connectInVain = async () => {
      if (performance.now() - startedAt > 140) await sleep(200);
      throw new NeverSentError("Stream is not writable");
    };
    // With its pauses of 10 to 80 ms, the last attempt starts 170 ms before the end.
    await expect(attempt(ready, connectInVain, { budgetMs: 320 })).rejects.toThrow(UnavailableError);
  });
});
