import { describe, expect } from "vitest";
import { serverTest } from "../support/fixtures.ts";
import { FUZZ_CASES, FUZZ_SEED } from "../support/fuzz-settings.ts";
import { ROOT_KEY } from "../support/test-server.ts";
import { FuzzDocument } from "./fuzz/fuzz-document.ts";
import { FuzzFixture } from "./fuzz/fuzz-fixture.ts";
import { FuzzRun } from "./fuzz/fuzz-run.ts";
import { KeyspaceMonitor } from "./fuzz/keyspace-monitor.ts";
import { createHttpTransport, createWebTransport } from "./fuzz/transport.ts";
import { ValuePools } from "./fuzz/value-pools.ts";

const it = serverTest({
  file: (url) => ({
    targets: [
      { name: "main", redis: url },
      { name: "looked-at", redis: url, readOnly: true },
    ],
  }),
})
  .extend("document", { scope: "file" }, async ({ server }) => {
    return new FuzzDocument((await server.call("/openapi.json")).body);
  })
  .extend("pools", { scope: "file" }, () => new ValuePools())
  .extend("scene", { scope: "file" }, ({ server, pools }, { onCleanup }) => {
    const scene = new FuzzFixture(server, pools, ROOT_KEY);
    onCleanup(() => scene.close());
    return scene;
  })
  .extend("campaign", { scope: "file" }, ({ server, document, pools, scene }) => {
    return new FuzzRun({
      document,
      pools,
      fast: createHttpTransport(server.url),
      web: createWebTransport(server.url, server.runtime),
      keyspace: new KeyspaceMonitor(server.redis),
      getHeaders: scene.getHeaders,
    });
  });

/** Sends requests to every operation, generated from the OpenAPI document that the server returns. */
describe("fuzzed requests from openapi.json", () => {
  it("fuzzed requests get documented responses, never a 5xx, and change nothing when refused", async ({
    document,
    scene,
    campaign,
  }) => {
    const share = Math.ceil(FUZZ_CASES / document.operations.length);
    for (const [at, operation] of document.operations.entries()) {
      await scene.reset();
      await campaign.runOperation(operation, share, FUZZ_SEED + at);
    }
    const faults = [...campaign.faults].map(([what, how]) => `${what}\n  ${how}`);
    expect(faults.join("\n"), `with FUZZ_SEED=${FUZZ_SEED}`).toBe("");
    expect(campaign.sentCount).toBeGreaterThan(FUZZ_CASES / 4);
    expect(campaign.comparedCount).toBeGreaterThan(campaign.sentCount / 4);
  }, 300_000);

  it("fuzzed requests succeed at nearly every operation", ({ document, campaign }) => {
    const isReached = (name: string) =>
      ["200", "204"].some((status) => campaign.answers.get(name)?.has(status));
    const missed = document.operations.map(({ name }) => name).filter((name) => !isReached(name));
    expect(missed.length, missed.join(", ")).toBeLessThan(document.operations.length / 8);
  });
});
