import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";
import type { StreamAccess } from "../api/session-endpoints.ts";
import { type Connection, FIRST_MESSAGE_MS, LiveStream, STALE_AFTER_MS } from "./live-stream.ts";
import type { StreamPorts } from "./stream-ports.ts";

const VIEW: LiveView = { filter: "", sort: "key", offset: 0, limit: 100, events: "none" };
const hello = (stream: string): LiveMessage => ({
  name: "hello",
  data: {
    stream,
    now: 1,
    operator: { name: "mei", may: ["read", "force"], mayEverywhere: [] },
    target: { name: "main", label: "main", address: "127.0.0.1:6379", server: "7.0.15", readOnly: false },
    watch: [],
    lockable: [],
  },
});
const health: LiveMessage = {
  name: "health",
  data: {
    now: 2,
    state: "live",
    notifications: "on",
    roundTripUs: 1,
    scannedAt: 1,
    scanMs: 1,
    missed: { found: 0, gone: 0, changed: 0, lastAt: null },
    unlisted: 0,
    locks: 0,
    waiting: 0,
    needsAttention: 0,
    deadlocks: 0,
    masters: [],
  },
};

type Taken = "done" | "gone" | "out" | "failed";

class Browser {
  opened: { view: LiveView; closed: boolean; message(m: LiveMessage | undefined): void; error(): void }[] =
    [];
  access: StreamAccess = "in";
  accessChecks = 0;
  changes: { stream: string; view: LiveView; answer(taken: Taken): void }[] = [];
  hidden = false;
  hasPlace = true;
  placesLeft = 0;
  connections: Connection[] = [];
  #wake: () => void = () => {};
  stream: LiveStream;

  constructor() {
    let asked = VIEW;
    const ports: StreamPorts = {
      url: (view) => {
        asked = view;
        return "/live";
      },
      acquireSlot: (onSlot) => {
        onSlot(this.hasPlace);
        return () => {
          this.placesLeft++;
        };
      },
      open: (_url, on) => {
        const source = { view: asked, closed: false, ...on };
        this.opened.push(source);
        return {
          close: () => {
            source.closed = true;
          },
        };
      },
      changeView: (stream, view) =>
        new Promise((answer) => {
          this.changes.push({ stream, view, answer });
        }),
      checkAccess: async () => {
        this.accessChecks++;
        return this.access;
      },
      timer: (run, ms) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      random: () => 0.5,
      page: {
        hidden: () => this.hidden,
        onChange: (listener) => {
          this.#wake = listener;
          return () => {};
        },
      },
    };
    this.stream = new LiveStream(
      ports,
      { message: () => {}, connection: (connection) => this.connections.push(connection) },
      VIEW,
    );
  }

  get last() {
    const source = this.opened.at(-1);
    if (source === undefined) throw new Error("nothing was opened");
    return source;
  }

  show(visible: boolean) {
    this.hidden = !visible;
    this.#wake();
  }
}

const settle = () => vi.advanceTimersByTimeAsync(0);
let browser: Browser;

beforeEach(() => {
  vi.useFakeTimers();
  browser = new Browser();
});
afterEach(() => {
  browser.stream.stop();
  vi.useRealTimers();
});

async function goLive(stream = "s1") {
  browser.stream.start();
  browser.last.message(hello(stream));
  await settle();
}

describe("live stream without a free connection", () => {
  it("the stream polls before it becomes stale and keeps the first free connection", async () => {
    browser.hasPlace = false;
    browser.stream.start();
    for (let asked = 1; asked <= 5; asked++) {
      expect(browser.opened).toHaveLength(asked);
      browser.last.message(hello(`s${asked}`));
      browser.last.message(health);
      browser.last.error();
      expect(browser.last.closed).toBe(true);
      await vi.advanceTimersByTimeAsync(1200);
    }
    expect(browser.connections).toEqual(["live"]);
    browser.hasPlace = true;
    browser.last.error();
    await vi.advanceTimersByTimeAsync(1200);
    await goLive("kept");
    expect(browser.last.closed).toBe(false);
  });

  it("a polling stream requests a new view at once", async () => {
    browser.hasPlace = false;
    await goLive();
    browser.last.error();
    browser.stream.setView({ ...VIEW, filter: "a" });
    expect(browser.last.view.filter).toBe("a");
    expect(browser.opened).toHaveLength(2);
  });

  it("a hidden tab gives its connection up", async () => {
    await goLive();
    browser.show(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(browser.placesLeft).toBe(1);
  });
});

describe("stream silence", () => {
  it("the stream is live from the first message on and while messages arrive", async () => {
    await goLive();
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(1000);
      browser.last.message(health);
    }
    expect(browser.connections).toEqual(["live"]);
  });

  it("the stream is stale after 2.5 s without a message and live with the next one", async () => {
    await goLive();
    await vi.advanceTimersByTimeAsync(STALE_AFTER_MS - 1);
    expect(browser.connections).toEqual(["live"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(browser.connections).toEqual(["live", "stale"]);
    browser.last.message(health);
    expect(browser.connections).toEqual(["live", "stale", "live"]);
  });

  it("the first message may take longer, and a server that does not respond is reported at once", async () => {
    browser.stream.start();
    await vi.advanceTimersByTimeAsync(FIRST_MESSAGE_MS - 1);
    expect(browser.connections).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(browser.connections).toEqual(["stale"]);
    const other = new Browser();
    other.access = "unreachable";
    other.stream.start();
    other.last.error();
    await settle();
    expect(other.connections).toEqual(["stale"]);
    other.stream.stop();
  });

  it("the stream drops a connection that is silent for 10 s", async () => {
    await goLive();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(browser.opened[0]?.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(400);
    expect(browser.opened).toHaveLength(2);
  });

  it("silence spans failed attempts, and a connection without messages is not live", async () => {
    await goLive();
    browser.last.error();
    await vi.advanceTimersByTimeAsync(400);
    expect(browser.opened).toHaveLength(2);
    expect(browser.connections).toEqual(["live", "reconnecting"]);
    await vi.advanceTimersByTimeAsync(STALE_AFTER_MS - 400);
    expect(browser.connections).toEqual(["live", "reconnecting", "stale"]);
  });
});

describe("stream reconnects", () => {
  it("the reconnect delay grows with each failure, up to 5 s", async () => {
    browser.stream.start();
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      const before = browser.opened.length;
      browser.last.error();
      let waited = 0;
      while (browser.opened.length === before) {
        await vi.advanceTimersByTimeAsync(100);
        waited += 100;
      }
      pauses.push(waited);
    }
    expect(pauses).toEqual([300, 600, 1200, 2400, 4800, 5000, 5000]);
  });

  it("a lost connection is reported at once, and live again with the next message", async () => {
    await goLive();
    browser.last.error();
    expect(browser.connections).toEqual(["live", "reconnecting"]);
    await vi.advanceTimersByTimeAsync(300);
    browser.last.message(hello("s2"));
    expect(browser.connections).toEqual(["live", "reconnecting", "live"]);
  });

  it("one small request at a time probes a server that does not respond, at least every 4.5 s", async () => {
    await goLive();
    browser.access = "unreachable";
    browser.last.error();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.opened).toHaveLength(1);
    expect(browser.accessChecks).toBeGreaterThan(60 / 4.5);
    expect(browser.accessChecks).toBeLessThan(30);
    browser.access = "in";
    await vi.advanceTimersByTimeAsync(4500);
    expect(browser.opened).toHaveLength(2);
  });

  it("a session that ended during an outage logs the stream out", async () => {
    await goLive();
    browser.access = "unreachable";
    browser.last.error();
    await vi.advanceTimersByTimeAsync(5000);
    browser.access = "out";
    await vi.advanceTimersByTimeAsync(5000);
    expect(browser.connections).toEqual(["live", "reconnecting", "stale", "logged_out"]);
    expect(browser.opened).toHaveLength(1);
  });

  it("a reconnect requests the current view", async () => {
    await goLive();
    browser.last.error();
    browser.stream.setView({ ...VIEW, filter: "orders" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(browser.last.view.filter).toBe("orders");
    expect(browser.changes).toHaveLength(0);
  });

  it("messages of an abandoned connection are ignored", async () => {
    await goLive();
    const old = browser.last;
    old.error();
    await vi.advanceTimersByTimeAsync(STALE_AFTER_MS);
    old.message(health);
    expect(browser.connections).toEqual(["live", "reconnecting", "stale"]);
  });

  it("a stopped stream does not reconnect", async () => {
    await goLive();
    browser.last.error();
    browser.stream.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.opened).toHaveLength(1);
  });
});

describe("stream view", () => {
  it("view changes are sent one at a time, and only the last of many is kept", async () => {
    await goLive();
    for (const offset of [20, 40, 60]) browser.stream.setView({ ...VIEW, offset });
    expect(browser.changes.map(({ view }) => view.offset)).toEqual([20]);
    browser.changes[0]?.answer("done");
    await settle();
    expect(browser.changes.map(({ view }) => view.offset)).toEqual([20, 60]);
  });

  it("an unchanged view is not sent", async () => {
    await goLive();
    browser.stream.setView({ ...VIEW });
    expect(browser.changes).toHaveLength(0);
  });

  it("a view set before the stream opens is sent after hello", async () => {
    browser.stream.start();
    browser.stream.setView({ ...VIEW, sort: "-held" });
    expect(browser.changes).toHaveLength(0);
    browser.last.message(hello("s1"));
    expect(browser.changes).toMatchObject([{ stream: "s1", view: { sort: "-held" } }]);
  });

  it("the stream reopens when the server no longer knows it", async () => {
    await goLive();
    browser.stream.setView({ ...VIEW, offset: 20 });
    browser.changes[0]?.answer("gone");
    await settle();
    expect(browser.opened).toHaveLength(2);
    expect(browser.last.view.offset).toBe(20);
  });

  it("a proxy that sends every view change to another instance causes no loop of reconnects", async () => {
    await goLive();
    browser.stream.setView({ ...VIEW, keep: ["lock%3Aa"] });
    for (let n = 0; n < 20; n++) {
      browser.changes.at(-1)?.answer("gone");
      await settle();
      if (!browser.last.closed) browser.last.message(hello(`s${n + 2}`));
      await settle();
    }
    expect(browser.opened.length).toBeLessThanOrEqual(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(browser.last.closed).toBe(false);
  });

  it("the stream reopens when a view change fails", async () => {
    await goLive();
    browser.stream.setView({ ...VIEW, offset: 20 });
    browser.changes[0]?.answer("failed");
    await vi.advanceTimersByTimeAsync(400);
    expect(browser.opened).toHaveLength(2);
  });
});

describe("stream session", () => {
  it("a 401 logs the stream out and stops reconnects", async () => {
    browser.access = "out";
    browser.stream.start();
    browser.last.error();
    await vi.advanceTimersByTimeAsync(9000);
    expect(browser.connections).toEqual(["logged_out"]);
    expect(browser.opened).toHaveLength(1);
  });

  it("the stream resumes after a login in another tab", async () => {
    browser.access = "out";
    browser.stream.start();
    browser.last.error();
    await settle();
    browser.access = "in";
    await vi.advanceTimersByTimeAsync(10_000);
    expect(browser.opened).toHaveLength(2);
    browser.last.message(hello("s2"));
    expect(browser.connections).toEqual(["logged_out", "connecting", "live"]);
  });

  it("the session is checked at once when the tab becomes visible", async () => {
    browser.access = "out";
    browser.stream.start();
    browser.last.error();
    await settle();
    browser.access = "in";
    browser.show(true);
    await settle();
    expect(browser.opened).toHaveLength(2);
  });

  it("the stream logs out when a view change reports the end of the session", async () => {
    await goLive();
    browser.stream.setView({ ...VIEW, offset: 20 });
    browser.changes[0]?.answer("out");
    await settle();
    expect(browser.connections).toEqual(["live", "logged_out"]);
    expect(browser.last.closed).toBe(true);
  });
});

describe("refused streams", () => {
  async function refuse() {
    browser.access = "refused";
    browser.stream.start();
    browser.last.error();
    await settle();
  }

  it("a refused stream is not stale, and its access is checked every 5 s without a new stream", async () => {
    await refuse();
    expect(browser.connections).toEqual(["refused"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.connections).toEqual(["refused"]);
    expect(browser.opened).toHaveLength(1);
    expect(browser.accessChecks).toBe(13);
  });

  it("a live stream whose access was removed is refused", async () => {
    await goLive();
    browser.access = "refused";
    browser.last.error();
    await settle();
    expect(browser.connections).toEqual(["live", "reconnecting", "refused"]);
    expect(browser.last.closed).toBe(true);
    browser.stream.setView({ ...VIEW, filter: "a" });
    expect(browser.changes).toHaveLength(0);
  });

  it("a stream that is accepted again connects, with the time limit of the first message", async () => {
    await goLive();
    browser.access = "refused";
    browser.last.error();
    await settle();
    browser.access = "in";
    await vi.advanceTimersByTimeAsync(5000);
    expect(browser.connections.at(-1)).toBe("connecting");
    await vi.advanceTimersByTimeAsync(FIRST_MESSAGE_MS - 1);
    expect(browser.connections.at(-1)).toBe("connecting");
    expect(browser.opened).toHaveLength(2);
    browser.last.message(hello("s2"));
    expect(browser.connections.at(-1)).toBe("live");
  });

  it("a hidden tab does not check its access, and checks it at once when it is shown", async () => {
    await refuse();
    browser.show(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.connections).toEqual(["refused"]);
    const checks = browser.accessChecks;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.accessChecks).toBe(checks);
    browser.access = "in";
    browser.show(true);
    await settle();
    expect(browser.connections).toEqual(["refused", "connecting"]);
    expect(browser.opened).toHaveLength(2);
  });

  it("a refused stream reports an unreachable server and the end of the session", async () => {
    await refuse();
    browser.access = "unreachable";
    await vi.advanceTimersByTimeAsync(5000);
    expect(browser.connections).toEqual(["refused", "stale"]);
    browser.access = "refused";
    await vi.advanceTimersByTimeAsync(4500);
    expect(browser.connections).toEqual(["refused", "stale", "refused"]);
    browser.access = "unknown";
    await vi.advanceTimersByTimeAsync(5000);
    browser.access = "out";
    await vi.advanceTimersByTimeAsync(5000);
    expect(browser.connections).toEqual(["refused", "stale", "refused", "logged_out"]);
    expect(browser.opened).toHaveLength(1);
  });

  it("a user who logs in without access to the target is refused", async () => {
    browser.access = "out";
    browser.stream.start();
    browser.last.error();
    await settle();
    browser.access = "refused";
    await vi.advanceTimersByTimeAsync(10_000);
    expect(browser.connections).toEqual(["logged_out", "refused"]);
  });
});

describe("hidden tabs", () => {
  it("a hidden tab keeps its connection for 10 s, then closes it, and reconnects when shown", async () => {
    await goLive();
    browser.show(false);
    for (let i = 0; i < 9; i++) {
      await vi.advanceTimersByTimeAsync(1000);
      browser.last.message(health);
    }
    expect(browser.last.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(browser.last.closed).toBe(true);
    expect(browser.connections).toEqual(["live", "asleep"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.opened).toHaveLength(1);
    browser.show(true);
    expect(browser.opened).toHaveLength(2);
    browser.last.message(hello("s2"));
    expect(browser.connections).toEqual(["live", "asleep", "connecting", "live"]);
  });

  it("a tab that is shown again in time does not sleep", async () => {
    await goLive();
    browser.show(false);
    await vi.advanceTimersByTimeAsync(2000);
    browser.show(true);
    browser.last.message(health);
    await vi.advanceTimersByTimeAsync(2000);
    expect(browser.connections).toEqual(["live"]);
  });
});
