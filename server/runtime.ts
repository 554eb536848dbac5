import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { createApi } from "./api/api.ts";
import { Authentication } from "./api/authentication.ts";
import type { Dispatcher } from "./api/dispatch.ts";
import { LiveStreams } from "./api/live-streams.ts";
import { answerNode } from "./api/node-door.ts";
import { OpenStreams } from "./api/sse.ts";
import { answerWeb } from "./api/web-door.ts";
import { Home } from "./auth/home.ts";
import { RootKey } from "./auth/root-key.ts";
import { makeLink, Sessions } from "./auth/sessions.ts";
import type { Config } from "./config.ts";
import { OURS_AT_HOME } from "./formats/keys.ts";
import { Journal } from "./history/journal.ts";
import { Locks } from "./locks/locks.ts";
import { type Connections, openConnections } from "./redis/connect.ts";
import { StartupError } from "./startup-error.ts";
import type { Target } from "./target.ts";
import { RuleBook } from "./watch/rule-book.ts";
import { Watcher } from "./watch/watcher.ts";

/** Everything that runs behind the doors, built once. */
export class Runtime {
  private constructor(
    private readonly config: Config,
    private readonly api: Dispatcher,
    private readonly watcher: Watcher,
    private readonly home: Home,
    private readonly streams: OpenStreams,
    private readonly connections: Connections,
    /** The root key, when it was made just now; it is shown once. */
    readonly newRootKey: string | undefined,
  ) {}

  /** @throws StartupError */
  static async start(config: Config, target: Target, port: () => number, log: Logger): Promise<Runtime> {
    const { address } = target;
    const connections = await openConnections(address);
    const home = await openHome(connections, address.label);
    const rootKey = await RootKey.open(home, config.rootKey);
    const sessions = new Sessions(home);
    const { publicUrl, insecureHttp, watch, lockable, notifications } = config;
    const authentication = new Authentication(rootKey, sessions, { publicUrl, insecureHttp, port });
    const journal = new Journal();
    const rules = await RuleBook.open({ home, target: target.name, given: config.formatRules });
    const watcher = new Watcher(
      { target: target.name, db: address.db, watch, notifications, rules: rules.rules },
      connections.watch,
      connections.subscriber,
      journal,
      log,
    );
    const hello = {
      target: { name: target.name, address: address.label, server: target.server.name },
      watch: [...watch],
      lockable: [...lockable],
    };
    const live = new LiveStreams({ watcher, journal, hello });
    const locks = new Locks(connections.verbs, connections.wake, address.db, lockable);
    const streams = new OpenStreams();
    const services = { locks, watcher, journal, rules, sessions, authentication, live, streams };
    const api = createApi(services, log);
    watcher.start();
    return new Runtime(config, api, watcher, home, streams, connections, rootKey.made);
  }

  /** The fast door. */
  answerNode(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    return answerNode(this.api, incoming, outgoing);
  }

  /** The door of Next's route handler. */
  async answer(request: Request): Promise<Response> {
    return await answerWeb(this.api, request);
  }

  /** Whether requests can be answered: Redis is there and the picture is whole. */
  get readiness(): { ready: boolean; state: string } {
    const { state } = this.watcher.health();
    return { ready: state === "live", state };
  }

  /** The token of a one-time link to the console. */
  async makeLink(): Promise<string> {
    return await makeLink(this.home, { name: this.config.operatorName, role: "admin" });
  }

  /** Ends the streams of consoles and apps; they come back to whoever takes our place. */
  endStreams(): void {
    this.streams.closeAll();
  }

  stop(): void {
    this.watcher.stop();
    this.connections.close();
  }
}

async function openHome(connections: Connections, label: string): Promise<Home> {
  const home = new Home(connections.home);
  try {
    await home.settle();
    return home;
  } catch (error) {
    connections.close();
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const said = reason instanceof Error ? reason.message : String(reason);
    throw new StartupError(
      `Redis at ${label} does not let us keep our own keys, which begin with ${OURS_AT_HOME} (${said}).`,
    );
  }
}
