import { afterAll, beforeAll, describe, vi } from "vitest";
import { openBackend } from "../../server/locks/backends/open-backend.ts";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { startTestMasters, type TestMasters } from "../support/test-masters.ts";
import { describeConformance, describeContendedCounter } from "./conformance.ts";
import type { FormatUnderTest, OpenedBackend } from "./conformance-fixture.ts";

// The tests spend most of their time waiting for leases to end. Each call is sent to several servers, so fewer tests
// run in parallel than on a single server.
vi.setConfig({ maxConcurrency: 8, testTimeout: 60_000 });

const SPOKEN: FormatUnderTest = {
  format: "token",
  lacks: {
    "force-release": "operators act on a single Redis",
    "other-formats": "a quorum supports one format only",
  },
  driftMs: 100,
};

describe("quorum", () => {
  let masters: TestMasters;
  beforeAll(async () => {
    masters = await startTestMasters(3);
  });
  afterAll(() => masters.stop());

  async function opened(): Promise<OpenedBackend> {
    const where = { quorum: masters.urls };
    const [backend, one, two] = await Promise.all([
      openBackend(where, ["*"]),
      LockClient.open(where),
      LockClient.open(where),
    ]);
    const direct = masters.clients;
    return {
      verbs: backend.verbs,
      renewMany: (holds, tryMs) => backend.renewMany(holds, tryMs),
      clients: [one, two],
      findServers: () => direct,
      async close() {
        for (const each of [backend, one, two]) each.close();
      },
    };
  }

  describeConformance("token", SPOKEN, opened);
  describeContendedCounter("token", SPOKEN, opened);
});
