import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUZZ_CASES, FUZZ_SEED } from "../support/fuzz-settings.ts";
import { ROOT_KEY, startTestServer, type TestServer } from "../support/test-server.ts";
import { Document } from "./fuzz/fuzz-document.ts";
import { Scene } from "./fuzz/fuzz-fixture.ts";
import { Campaign } from "./fuzz/fuzz-run.ts";
import { KeyspaceWatch } from "./fuzz/keyspace-monitor.ts";
import { overHttp, overWebDoor } from "./fuzz/transport.ts";
import { Pools } from "./fuzz/value-pools.ts";

/** Requests made from the document that the server itself tells, to every operation in it. */
describe("fuzzed requests from openapi.json", () => {
  let server: TestServer;
  let document: Document;
  let campaign: Campaign;
  let scene: Scene;

  beforeAll(async () => {
    server = await startTestServer({
      file: (url) => ({
        targets: [
          { name: "main", redis: url },
          { name: "looked-at", redis: url, readOnly: true },
        ],
      }),
    });
    document = new Document((await server.call("/openapi.json")).body);
    const pools = new Pools();
    scene = new Scene(server, pools, ROOT_KEY);
    campaign = new Campaign({
      document,
      pools,
      fast: overHttp(server.url),
      web: overWebDoor(server.url, server.runtime),
      keyspace: new KeyspaceWatch(server.redis),
      headersOf: scene.headersOf,
    });
  });
  afterAll(async () => {
    scene.end();
    await server.stop();
  });

  it("fuzzed requests get documented responses, never a 5xx, and change nothing when refused", async () => {
    const share = Math.ceil(FUZZ_CASES / document.operations.length);
    for (const [at, operation] of document.operations.entries()) {
      await scene.set();
      await campaign.against(operation, share, FUZZ_SEED + at);
    }
    const faults = [...campaign.faults].map(([what, how]) => `${what}\n  ${how}`);
    expect(faults.join("\n"), `with FUZZ_SEED=${FUZZ_SEED}`).toBe("");
    expect(campaign.sent).toBeGreaterThan(FUZZ_CASES / 4);
    expect(campaign.lookedAt).toBeGreaterThan(campaign.sent / 4);
  }, 300_000);

  it("fuzzed requests succeed at nearly every operation", () => {
    const isReached = (name: string) =>
      ["200", "204"].some((status) => campaign.answers.get(name)?.has(status));
    const missed = document.operations.map(({ name }) => name).filter((name) => !isReached(name));
    expect(missed.length, missed.join(", ")).toBeLessThan(document.operations.length / 8);
  });
});
