import { expect, it } from "vitest";
import { LiveView } from "../../../lib/contract/live.ts";
import { ANONYMOUS } from "../../auth/principal.ts";
import { LockIndex } from "../../watch/index/lock-index.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { LiveSnapshot } from "./live-snapshot.ts";
import { RowJsonCache } from "./row-json-cache.ts";
import { Tab } from "./tab.ts";

it("a view changed while the tab does not read is sent once, with the last change only", () => {
  const said: string[] = [];
  let waiting = 1024 * 1024;
  const sink: ResponseSink = {
    write: (text) => said.push(typeof text === "string" ? text : new TextDecoder().decode(text)),
    close: () => undefined,
    end: () => undefined,
    onClose: () => undefined,
    get bufferedBytes() {
      return waiting;
    },
  };
  const mirror = new LockIndex();
  // A stub of the watcher, with only the members that a tab and a snapshot use.
  const health = () => ({ locks: 0, waiting: 0, needsAttention: 0 });
  const clock = { now: () => 5 };
  const watcher = { index: mirror, clock, isWatched: () => true, health } as unknown as Watcher;
  const frame = () =>
    new LiveSnapshot(
      watcher,
      new RowJsonCache(watcher.locks),
      { events: [], dropped: 0 },
      { findLastEnd: () => undefined },
    );
  const tab = new Tab("a", sink, LiveView.parse({}), ANONYMOUS, watcher);
  for (let n = 0; n < 50; n++) tab.changeView(LiveView.parse({ filter: `key:${n}` }), frame());
  expect(said).toEqual([]);
  waiting = 0;
  tab.sendChanges(frame());
  expect(said.filter((text) => text.startsWith("event: window"))).toEqual([
    expect.stringContaining('"filter":"key:49"'),
  ]);
});
