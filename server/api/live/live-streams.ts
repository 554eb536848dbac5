import { randomBytes } from "node:crypto";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { Principal } from "../../auth/principal.ts";
import { NotFoundError } from "../../errors/request-errors.ts";
import type { Target } from "../../targets/target.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { Tab } from "./tab.ts";
import { TabBroadcaster } from "./tab-broadcaster.ts";
import { streamUnreachable, toOperatorHello, toTargetHello } from "./unreachable-target.ts";

interface OpenTab {
  readonly principal: Principal;
  changeView(view: LiveView): void;
}

/** The open streams of consoles, one a tab. */
export class LiveStreams {
  readonly #tabs = new Map<string, OpenTab>();
  readonly #broadcasters = new WeakMap<Target, TabBroadcaster>();

  /** @returns resolves when all of the first picture has been told */
  open(sink: ResponseSink, view: LiveView, principal: Principal, connector: TargetConnector): Promise<void> {
    const id = randomBytes(12).toString("base64url");
    sink.onClose(() => this.#tabs.delete(id));
    const { target } = connector;
    if (target === undefined) {
      this.#tabs.set(id, { principal, changeView: () => undefined });
      streamUnreachable(id, sink, principal, connector);
      return Promise.resolve();
    }
    const tab = new Tab(id, sink, view, principal, target.watcher);
    const feed = this.#getBroadcaster(target);
    this.#tabs.set(id, { principal, changeView: (next) => feed.changeView(tab, next) });
    sendHello(tab, target, connector);
    const shown = feed.join(tab);
    sink.onClose(() => feed.leave(tab));
    return shown;
  }

  /** @throws LockkeeperError not_found */
  changeView(id: string, view: LiveView, principal: Principal): void {
    const open = this.#tabs.get(id);
    if (open === undefined || open.principal.id !== principal.id) {
      throw new NotFoundError("This stream has ended; open GET /live again.");
    }
    open.changeView(view);
  }

  #getBroadcaster(target: Target): TabBroadcaster {
    const known = this.#broadcasters.get(target);
    if (known !== undefined) return known;
    const feed = new TabBroadcaster(target.watcher, target.journal);
    this.#broadcasters.set(target, feed);
    return feed;
  }
}

function sendHello(tab: Tab, { policy, watcher }: Target, connector: TargetConnector): void {
  tab.send("hello", {
    stream: tab.id,
    now: watcher.clock.now(),
    operator: toOperatorHello(tab.principal, connector),
    target: toTargetHello(connector),
    watch: [...policy.watch],
    lockable: [...policy.lockable],
  });
}
