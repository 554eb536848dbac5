import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Lock } from "../../../lib/contract/lock.ts";
import { Bull, bullmq } from "./clients.ts";
import { type Operator, operatorTest } from "./operator.ts";

const it = operatorTest();

/** Creates a job that runs until the test completes it. */
function jobAtWork() {
  let started = 0;
  let finish: (result: string) => void = () => undefined;
  const finished = new Promise<string>((resolve) => {
    finish = resolve;
  });
  return {
    finish: (result: string) => finish(result),
    runs: () => started,
    work: async () => {
      started++;
      return await finished;
    },
  };
}

async function assertLeftAlone(operator: Operator, key: string, format: string): Promise<Lock> {
  const lock = await operator.findListed(key, ({ release }) => release?.may === "never");
  expect(lock).toMatchObject({ format, type: "string", holders: [{ count: 1 }] });
  expect(lock.remainingMs).toBeGreaterThan(15_000);
  expect(lock.release?.instead).toBeDefined();
  const refused = await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
  expect([refused.status, refused.body.code]).toEqual([403, "read_only"]);
  expect((await operator.readLock(key)).holders[0]?.owner).toBe(lock.holders[0]?.owner);
  return lock;
}

describe("job locks of queue libraries", () => {
  it("a BullMQ job lock is listed but not released, and the job finishes undisturbed", async ({
    operator,
  }) => {
    const name = `lock-${randomUUID()}`;
    const at = { connection: { host: "127.0.0.1", port: operator.port } };
    const [job, queue] = [jobAtWork(), new bullmq.Queue(name, at)];
    const worker = new bullmq.Worker(name, job.work, at);
    const troubles: unknown[] = [];
    for (const event of ["error", "failed", "stalled"] as const)
      worker.on(event, (...it) => troubles.push(it));
    const completed = new Promise((resolve) => worker.on("completed", (_, result) => resolve(result)));
    const { id } = await queue.add("sync", {});
    await assertLeftAlone(operator, `bull:${name}:${id}:lock`, "bullmq");
    job.finish("sent");
    expect(await completed).toBe("sent");
    expect([job.runs(), troubles]).toEqual([1, []]);
    await Promise.all([worker.close(), queue.close()]);
  });

  it("a Bull job lock is listed but not released, and the job finishes undisturbed", async ({ operator }) => {
    const name = `lock-${randomUUID()}`;
    const [job, queue] = [jobAtWork(), new Bull(name, operator.url)];
    const troubles: unknown[] = [];
    for (const event of ["error", "failed", "stalled"] as const)
      queue.on(event, (...it) => troubles.push(it));
    void queue.process(job.work);
    const added = await queue.add({});
    await assertLeftAlone(operator, `bull:${name}:${added.id}:lock`, "bull");
    job.finish("sent");
    expect(await added.finished()).toBe("sent");
    expect([job.runs(), troubles]).toEqual([1, []]);
    await queue.close();
  });
});
