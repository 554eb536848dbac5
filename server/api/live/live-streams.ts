import { randomBytes } from "node:crypto";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { Principal } from "../../auth/principal.ts";
import { NotFoundError } from "../../errors/request-errors.ts";
import type { Target } from "../../targets/target.ts";
import type { TargetKeeper } from "../../targets/target-connector.ts";
import type { Sink } from "../http/http-exchange.ts";
import { Tab } from "./tab.ts";
import { Feed } from "./tab-broadcaster.ts";
import { operatorOf, targetHelloOf, tellUnreached } from "./unreachable-target.ts";

interface Open {
  readonly principal: Principal;
  look(view: LiveView): void;
}

/** The open streams of consoles, one a tab. */
export class LiveStreams {
  readonly #tabs = new Map<string, Open>();
  readonly #feeds = new WeakMap<Target, Feed>();

  /** @returns resolves when all of the first picture has been told */
  open(sink: Sink, view: LiveView, principal: Principal, keeper: TargetKeeper): Promise<void> {
    const id = randomBytes(12).toString("base64url");
    sink.onClose(() => this.#tabs.delete(id));
    const { target } = keeper;
    if (target === undefined) {
      this.#tabs.set(id, { principal, look: () => undefined });
      tellUnreached(id, sink, principal, keeper);
      return Promise.resolve();
    }
    const tab = new Tab(id, sink, view, principal, target.watcher);
    const feed = this.#feedOf(target);
    this.#tabs.set(id, { principal, look: (next) => feed.look(tab, next) });
    greet(tab, target, keeper);
    const shown = feed.join(tab);
    sink.onClose(() => feed.leave(tab));
    return shown;
  }

  /** @throws LockkeeperError not_found */
  look(id: string, view: LiveView, principal: Principal): void {
    const open = this.#tabs.get(id);
    if (open === undefined || open.principal.id !== principal.id) {
      throw new NotFoundError("This stream has ended; open GET /live again.");
    }
    open.look(view);
  }

  #feedOf(target: Target): Feed {
    const known = this.#feeds.get(target);
    if (known !== undefined) return known;
    const feed = new Feed(target.watcher, target.journal);
    this.#feeds.set(target, feed);
    return feed;
  }
}

function greet(tab: Tab, { policy, watcher }: Target, keeper: TargetKeeper): void {
  tab.say("hello", {
    stream: tab.id,
    now: watcher.clock.now(),
    operator: operatorOf(tab.principal, keeper),
    target: targetHelloOf(keeper),
    watch: [...policy.watch],
    lockable: [...policy.lockable],
  });
}
