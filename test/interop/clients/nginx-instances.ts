import { setTimeout as sleep } from "node:timers/promises";
import { assert, expect } from "../figures.ts";
import { proveSession } from "../proxy/browser-proof.ts";
import { SKIPPED_AFTER_FAILURE_MS, startInstancePair } from "../proxy/instance-pair.ts";
import { Load } from "../proxy/load.ts";
import type { Client } from "./client.ts";

const REQUESTS_PER_SECOND = 1500;
const BEFORE_MS = 1000;

/** Uses a browser session through docs/nginx/two-instances.conf while each instance is killed in turn. */
const sessionBehindNginx: Client = {
  name: "nginx with two instances: a browser session",
  needs: ["nginx", "consoleBelow"],
  async run({ tools, note }) {
    const pair = await startInstancePair(tools);
    try {
      await proveSession(pair);
      note("one login, each instance killed in turn: live rows and force-releases go on");
    } finally {
      await pair.stop();
    }
  },
};

/** Runs clients that retry once while each instance is restarted in turn. */
const rollingRestart: Client = {
  name: "nginx with two instances: a rolling restart",
  needs: ["nginx", "consoleBelow"],
  async run({ tools, note }) {
    const pair = await startInstancePair(tools);
    const load = new Load(pair.url, REQUESTS_PER_SECOND);
    try {
      await sleep(BEFORE_MS);
      for (const which of [0, 1] as const) {
        await pair.stopInstance(which);
        await pair.start(which);
        await sleep(SKIPPED_AFTER_FAILURE_MS);
      }
      const { requests, retried, lost } = await load.stop();
      note(`${requests} requests, sent again: ${JSON.stringify(retried)}`);
      assert(requests > 1000, () => `only ${requests} requests were sent`);
      expect("requests that failed twice", lost, {});
    } finally {
      await load.stop();
      await pair.stop();
    }
  },
};

export const nginxInstanceClients: readonly Client[] = [sessionBehindNginx, rollingRestart];
