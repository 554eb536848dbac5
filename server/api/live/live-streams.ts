import { randomBytes } from "node:crypto";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { Principal } from "../../auth/principal.ts";
import { runYielding } from "../../concurrency/for-each-yielding.ts";
import { NotFoundError } from "../../errors/request-errors.ts";
import type { Target } from "../../targets/target.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { toOperatorHello, toTargetHello } from "./hello.ts";
import { Tab } from "./tab.ts";
import { TabBroadcaster } from "./tab-broadcaster.ts";
import { streamUnreachable } from "./unreachable-target.ts";

/** The caller that opens a stream, and whether the request is a poll. */
export interface StreamCaller {
  readonly principal: Principal;
  /** The CPU budget that is charged for the initial state and for new filters. */
  readonly cpu: CpuBudget;
  readonly isPoll?: boolean;
}

interface OpenTab {
  readonly principal: Principal;
  changeView(view: LiveView): void;
}

/** The open console streams of this instance, one per tab. */
export class LiveStreams {
  readonly #tabs = new Map<string, OpenTab>();
  readonly #broadcasters = new WeakMap<Target, TabBroadcaster>();

  /**
   * Opens the stream of a tab and sends the initial state of its view. Each poll runs as a yielding task of its caller,
   * so that many polls do not block the event loop for longer than a single poll does.
   *
   * @returns a promise that resolves when the complete initial state has been sent. For a poll, the stream then ends
   */
  async open(
    sink: ResponseSink,
    view: LiveView,
    { principal, cpu, isPoll = false }: StreamCaller,
    connector: TargetConnector,
  ): Promise<void> {
    const id = randomBytes(12).toString("base64url");
    sink.onClose(() => this.#tabs.delete(id));
    const { target } = connector;
    if (target === undefined) {
      this.#tabs.set(id, { principal, changeView: () => undefined });
      streamUnreachable(id, sink, principal, connector);
      if (isPoll) sink.end();
      return;
    }
    let isClosed = false;
    sink.onClose(() => {
      isClosed = true;
    });
    const tab = new Tab(id, sink, view, principal, target.watcher, cpu);
    const feed = this.#getBroadcaster(target);
    this.#tabs.set(id, { principal, changeView: (next) => cpu.run(() => feed.changeView(tab, next)) });
    sink.onClose(() => feed.leave(tab));
    const begin = () => {
      if (isClosed) return;
      sendHello(tab, target, connector);
      return feed.join(tab);
    };
    // A stream joins immediately, so that it gets every event since the start of its response.
    await (isPoll ? runYielding(begin, cpu) : cpu.run(begin));
    if (!isPoll) return;
    // The tab leaves now and not when the connection closes, because the client may read the data much later, or never.
    feed.leave(tab);
    sink.end();
  }

  /**
   * Changes the view of an open stream.
   *
   * @throws LockkeeperError not_found if the stream has ended or belongs to another caller
   */
  changeView(id: string, view: LiveView, principal: Principal): void {
    const open = this.#tabs.get(id);
    if (open === undefined || open.principal.id !== principal.id) {
      throw new NotFoundError("The stream has ended. Open GET /live again.");
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
