import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { LiveView } from "../../../lib/contract/live.ts";
import { ANONYMOUS } from "../../auth/principal.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import { LockIndex } from "../../watch/index/lock-index.ts";
import { UNLIMITED_CPU } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { LiveStreams } from "./live-streams.ts";

const HEALTH = { state: "live", notifications: "on" };

/** Creates a stub of a target connector, with only the members that streams use. */
function createTarget() {
  const changeListeners = new Set<() => void>();
  const watcher = {
    index: new LockIndex(),
    clock: { now: () => 5 },
    isWatched: () => true,
    health: () => HEALTH,
    onChange: (listener: () => void) => {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
  };
  const journal = { listRecent: () => [], subscribeAll: () => () => undefined };
  const policy = { watch: ["*"], lockable: [], readOnly: false };
  const settings = { name: "default", label: "Default", policy };
  const target = { watcher, journal, policy, server: null };
  return {
    connector: { name: "default", settings, address: "", target } as unknown as TargetConnector,
    changeListeners,
  };
}

/** Creates a sink that records what is written to it. It is closed only by `leave`. */
function createSink() {
  const written: (string | Uint8Array)[] = [];
  const closeListeners: (() => void)[] = [];
  let isEnded = false;
  const sink: ResponseSink = {
    write: (text) => void written.push(text),
    close: () => undefined,
    end: () => {
      isEnded = true;
    },
    bufferedBytes: 0,
    onClose: (listener) => void closeListeners.push(listener),
  };
  return {
    sink,
    written,
    leave: () => closeListeners.forEach((listener) => void listener()),
    get isEnded() {
      return isEnded;
    },
  };
}

const open = (streams: LiveStreams, sink: ResponseSink, connector: TargetConnector) =>
  streams.open(
    sink,
    LiveView.parse({}),
    { principal: ANONYMOUS, cpu: UNLIMITED_CPU, isPoll: true },
    connector,
  );

it("the first states of many polls are built one in each turn of the event loop", async () => {
  const { connector } = createTarget();
  const streams = new LiveStreams();
  const clients = Array.from({ length: 50 }, createSink);
  const countBegun = () => clients.filter(({ written }) => written.length > 0).length;
  const opened = clients.map(({ sink }) => open(streams, sink, connector));
  expect(countBegun()).toBe(0);
  for (let begun = 0; begun < clients.length; ) {
    await setImmediate();
    expect(countBegun() - begun).toBeLessThanOrEqual(1);
    begun = countBegun();
  }
  await Promise.all(opened);
});

it("a poll that has its state follows no changes, whenever its client takes it", async () => {
  const { connector, changeListeners } = createTarget();
  const client = createSink();
  await open(new LiveStreams(), client.sink, connector);
  expect(client.isEnded).toBe(true);
  expect(changeListeners.size).toBe(0);
});

it("nothing is built for a client that has left before its turn", async () => {
  const { connector, changeListeners } = createTarget();
  const client = createSink();
  const opened = open(new LiveStreams(), client.sink, connector);
  client.leave();
  await opened;
  expect(client.written).toEqual([]);
  expect(changeListeners.size).toBe(0);
});
