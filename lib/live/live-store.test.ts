import { describe, expect, it } from "vitest";
import type { LiveMessage, LiveView, LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { createSampleLock } from "@/lib/contract/sample-lock.ts";
import type { StreamAccess } from "../api/session-endpoints.ts";
import { EventLog } from "./event-log.ts";
import { LiveStore } from "./live-store.ts";
import type { StreamPorts } from "./stream-ports.ts";

const LOCK = createSampleLock({ asOf: 70_000 });
const hello: LiveMessage = {
  name: "hello",
  data: {
    stream: "s1",
    now: 70_000,
    operator: { name: "mei", may: ["read", "force"], mayEverywhere: [] },
    target: { name: "main", label: "main", address: "127.0.0.1:6379", server: "7.0.15", readOnly: false },
    watch: [],
    lockable: [],
  },
};

function setup() {
  let elapsed = 1000;
  const access: { state: StreamAccess } = { state: "in" };
  let say: (message: LiveMessage | undefined) => void = () => {};
  let fail: () => void = () => {};
  const views: LiveView[] = [];
  const seen = {
    windows: [] as LiveWindow[],
    locks: [] as Lock[],
    reconnected: 0,
    forgotten: 0,
  };
  const ports: StreamPorts = {
    url: (view) => {
      views.push(view);
      return "";
    },
    acquireSlot: (onSlot) => {
      onSlot(true);
      return () => {};
    },
    open: (_url, on) => {
      say = on.message;
      fail = on.error;
      return { close() {} };
    },
    changeView: async (_stream, view) => {
      views.push(view);
      return "done";
    },
    checkAccess: async () => access.state,
    timer: () => () => {},
    random: () => 0,
    page: { hidden: () => false, onChange: () => () => {} },
  };
  const store = new LiveStore(
    ports,
    {
      window: (window) => seen.windows.push(window),
      lock: (lock) => seen.locks.push(lock),
      pinned: () => undefined,
      reconnected: () => seen.reconnected++,
      clear: () => seen.forgotten++,
    },
    () => elapsed,
    new EventLog({ schedule: (run) => run() }),
  );
  store.start();
  return {
    store,
    views,
    seen,
    access,
    fail: () => fail(),
    say: (message: LiveMessage | undefined) => say(message),
    wait: (ms: number) => {
      elapsed += ms;
    },
  };
}

describe("live store", () => {
  it("the live store routes each message to its consumer", () => {
    const { store, seen, say } = setup();
    say(hello);
    say({
      name: "window",
      data: { now: 70_010, filter: "", sort: "key", offset: 0, total: 1, held: 1, items: [LOCK] },
    });
    say({ name: "lock", data: { now: 70_010, lock: LOCK } });
    const event = {
      id: "1",
      type: "seen",
      target: "main",
      key: "lock:a",
      at: 1,
      observed: "inferred",
    } as const;
    say({ name: "recent", data: { items: [event] } });
    say({ name: "events", data: { items: [{ ...event, id: "2" }], skipped: 0 } });
    expect(store.state()).toMatchObject({ connection: "live", hello: hello.data, outdated: false });
    expect(seen).toMatchObject({ reconnected: 1, windows: [{ total: 1 }], locks: [LOCK] });
    expect(store.events.snapshot().events.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("the live store patches its window and requests a full one when a change does not fit", async () => {
    const { seen, views, say } = setup();
    say(hello);
    say({
      name: "window",
      data: { now: 1, filter: "", sort: "key", offset: 0, total: 2, held: 2, items: [LOCK, LOCK] },
    });
    const other = { ...LOCK, key: "lock:other" };
    say({ name: "rows", data: { now: 2, total: 3, held: 3, rows: [{ lock: other }, { from: 0 }, {}] } });
    expect(seen.windows).toHaveLength(1);
    say({
      name: "window",
      data: { now: 1, filter: "", sort: "key", offset: 0, total: 2, held: 2, items: [LOCK, LOCK] },
    });
    say({ name: "rows", data: { now: 2, total: 3, held: 3, rows: [{ lock: other }, { from: 0 }] } });
    expect(seen.windows.at(-1)).toMatchObject({ total: 3, items: [other, LOCK] });
    await Promise.resolve();
    expect(views).toHaveLength(2);
  });

  it("parts of a page that mount together change the view once, and the counts come as one snapshot", async () => {
    const { store, views, say } = setup();
    say(hello);
    const withdraw = store.subscribeCounts({ counts: ["waiters>0"] });
    store.subscribeCounts({ namespaces: ["lock:"] });
    await Promise.resolve();
    expect(views.slice(1)).toMatchObject([{ counts: ["waiters>0"], namespaces: ["lock:"] }]);
    const totals = { now: 70_010, held: 2, waiting: 1, needsAttention: 0 };
    const namespaces = [{ name: "lock:a:", holds: 2, needsAttention: 0, waiting: 1 }];
    say({
      name: "counts",
      data: { ...totals, filters: [{ filter: "waiters>0", total: 1 }], namespaces, complete: true },
    });
    expect(store.counts()).toMatchObject({ held: 2, filters: new Map([["waiters>0", 1]]) });
    withdraw();
    await Promise.resolve();
    await Promise.resolve();
    expect(views.at(-1)).not.toHaveProperty("counts");
  });

  it("the server clock is updated by every message with a time and reset by each new connection", () => {
    const { store, say, wait } = setup();
    say(hello);
    wait(1000);
    say({ name: "lock", data: { now: 71_005, lock: LOCK } });
    expect(store.clock.now()).toBe(71_005);
    say(hello);
    expect(store.clock.now()).toBe(70_000);
  });

  it("the live store reports how long the stream has been silent", () => {
    const { store, say, wait } = setup();
    expect(store.getMsSinceMessage()).toBeNull();
    say(hello);
    wait(4000);
    expect(store.getMsSinceMessage()).toBe(4000);
  });

  it("the live store reports a server with an incompatible protocol", () => {
    const { store, say } = setup();
    say(undefined);
    expect(store.state().outdated).toBe(true);
  });

  it("the live store watches the lock requested last and then returns to the previous one", async () => {
    const { store, views, say } = setup();
    say(hello);
    const settle = async () => {
      for (let i = 0; i < 5; i++) await Promise.resolve();
      return views.at(-1)?.lock;
    };
    const leavePage = store.subscribeLock("page");
    expect(await settle()).toBe("page");
    const closeSheet = store.subscribeLock("sheet");
    expect(await settle()).toBe("sheet");
    closeSheet();
    expect(await settle()).toBe("page");
    leavePage();
    expect(await settle()).toBeUndefined();
  });

  it.for([
    ["the session has ended elsewhere", "out", "logged_out"],
    ["the server refuses the stream", "refused", "refused"],
  ] as const)("the live store clears everything when %s", async ([_, state, connection]) => {
    const { store, seen, access, say, fail } = setup();
    say(hello);
    access.state = state;
    fail();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(store.state()).toMatchObject({ connection, hello: null, health: null });
    expect(store.getMsSinceMessage()).toBeNull();
    expect(seen.forgotten).toBe(1);
  });

  it("the live store clears everything on logout", () => {
    const { store, seen, say } = setup();
    say(hello);
    store.markLoggedOut();
    expect(store.state()).toMatchObject({ connection: "logged_out", hello: null, health: null });
    expect(store.events.snapshot().events).toEqual([]);
    expect(seen.forgotten).toBe(1);
  });
});
