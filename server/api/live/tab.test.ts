import { expect, it } from "vitest";
import { LiveView } from "../../../lib/contract/live.ts";
import { NOBODY } from "../../auth/principal.ts";
import { Mirror } from "../../watch/index/lock-index.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { Sink } from "../http/http-exchange.ts";
import { Frame } from "./live-snapshot.ts";
import { RowTexts } from "./row-json-cache.ts";
import { Tab } from "./tab.ts";

it("a view changed while the tab does not read is sent once, with the last change only", () => {
  const said: string[] = [];
  let waiting = 1024 * 1024;
  const sink: Sink = {
    write: (text) => said.push(typeof text === "string" ? text : new TextDecoder().decode(text)),
    close: () => undefined,
    end: () => undefined,
    onClose: () => undefined,
    get waiting() {
      return waiting;
    },
  };
  const mirror = new Mirror();
  // All of it that a tab and a frame ask for.
  const watcher = { mirror, clock: { now: () => 5 }, isWatched: () => true } as unknown as Watcher;
  const frame = () =>
    new Frame(watcher, new RowTexts(watcher), { events: [], dropped: 0 }, { lastEnding: () => undefined });
  const tab = new Tab("a", sink, LiveView.parse({}), NOBODY, watcher);
  for (let n = 0; n < 50; n++) tab.look(LiveView.parse({ filter: `key:${n}` }), frame());
  expect(said).toEqual([]);
  waiting = 0;
  tab.take(frame());
  expect(said.filter((text) => text.startsWith("event: window"))).toEqual([
    expect.stringContaining('"filter":"key:49"'),
  ]);
});
