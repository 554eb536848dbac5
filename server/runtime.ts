import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { createApi } from "./api/api.ts";
import type { Dispatcher } from "./api/dispatcher.ts";
import { RateLimits } from "./api/http/rate-limits.ts";
import { OpenStreams } from "./api/http/sse.ts";
import { LiveStreams } from "./api/live/live-streams.ts";
import { MetricsDoor } from "./api/metrics-endpoint.ts";
import { answerNode, exchangeOf } from "./api/node-adapter.ts";
import { HeldRequests } from "./api/routing/pending-requests.ts";
import { Authentication } from "./api/routing/request-authenticator.ts";
import { StoredAnswers } from "./api/routing/stored-answers.ts";
import { answerWeb } from "./api/web-adapter.ts";
import { type Admission, openAdmission } from "./auth/authenticator.ts";
import { RootKey } from "./auth/root-key.ts";
import type { Config } from "./config/config.ts";
import { UnavailableError, UnknownOutcomeError } from "./errors/redis-errors.ts";
import { StartupError } from "./errors/startup-error.ts";
import { Audit } from "./history/audit/audit.ts";
import { AuditLog } from "./history/audit/audit-log.ts";
import { AuditStore } from "./history/audit/audit-store.ts";
import type { OpenStore } from "./history/recording.ts";
import type { Home } from "./home/home-store.ts";
import { openHome, settleHome } from "./home/open-home-store.ts";
import { homeWhereOf } from "./start-configured-redis.ts";
import { Metrics } from "./stats/metrics.ts";
import { openTracing, type Tracing } from "./stats/tracing.ts";
import { VerbWatch } from "./stats/verb-observer.ts";
import { labelOf } from "./targets/probe-target.ts";
import { openTarget, type PlacedSettings } from "./targets/target.ts";
import { TargetKeeper } from "./targets/target-connector.ts";
import { Targets } from "./targets/targets.ts";

/** Targets that hang do not hold up the start of the others for longer. */
const FIRST_TRY_MS = 2000;

export interface RuntimeParts {
  readonly config: Config;
  /** URL of the embedded Redis, when one was started. */
  readonly ownUrl: string | undefined;
  readonly port: () => number;
  readonly log: Logger;
  /** Is told of a root key that is made after the start, because the store was away; it is shown once. */
  readonly onLateKey: (made: string) => void;
}

/** Everything that runs behind the doors, built once. */
export class Runtime {
  private constructor(
    private readonly config: Config,
    private readonly api: Dispatcher,
    private readonly metrics: MetricsDoor,
    readonly targets: Targets,
    private readonly home: Home,
    private readonly admission: Admission,
    private readonly streams: OpenStreams,
    private readonly held: HeldRequests,
    private readonly audit: Audit,
    private readonly tracing: Tracing | undefined,
    /** The root key, when it was made just now; it is shown once. */
    readonly newRootKey: string | undefined,
  ) {}

  /** @throws StartupError */
  static async start(parts: RuntimeParts): Promise<Runtime> {
    const { config, port, log } = parts;
    const where = homeWhereOf(config) ?? ownUrlOf(parts);
    const home = openHome(where);
    const targets = targetsOf(parts, home, (name, more) => openHome(where, name, more));
    let isStarted = false;
    try {
      // A Redis that cannot be reached is said in one line before anything is said of our own keys there.
      const isSole = config.targetsFrom === "environment";
      if (isSole) await targets.keepers[0].tryOnce();
      const found = await settleHome(home, labelOf(where));
      if (found === "away" && config.home === undefined && isSole) throw notKept(where);
      if (!isSole) await firstTries(targets);
      const rootKey = await RootKey.open(home, config.rootKey, (made) => {
        if (isStarted) parts.onLateKey(made);
      });
      const { publicUrl, insecureHttp, basePath, sessions: sessionLimits, firstOperator } = config;
      const admission = await openAdmission(home, { limits: sessionLimits, first: firstOperator });
      const { book, keyRing, sessions } = admission;
      const authentication = new Authentication(rootKey, keyRing, sessions, {
        publicUrl,
        insecureHttp,
        basePath,
        port,
      });
      const streams = new OpenStreams(config.streamsMax, config.streamsEachMax);
      book.onChanged(() => streams.lookAtAll());
      const held = new HeldRequests(config.waitersMax);
      const limits = new RateLimits(config.rateLimits);
      const answers = new StoredAnswers(home);
      const live = new LiveStreams();
      const metrics = openMetrics(config, targets, streams);
      const tracing = config.tracing && (await openTracing(config.tracing, log));
      const verbs = new VerbWatch({ count: metrics?.verbEnded, trace: tracing?.begin });
      const auditStore = new AuditStore(home, config.audit);
      const auditLog = new AuditLog(auditStore, log);
      await home.whenThere(() => auditLog.load());
      const audit = new Audit(auditLog);
      const services = {
        ...admission,
        targets,
        authentication,
        live,
        streams,
        held,
        limits,
        answers,
        verbs,
        audit,
        auditStore,
      };
      const door = new MetricsDoor(
        metrics,
        config.metrics === "open" ? "open" : "key",
        authentication,
        limits,
        log,
      );
      isStarted = true;
      const api = createApi(services, log, basePath);
      return new Runtime(
        config,
        api,
        door,
        targets,
        home,
        admission,
        streams,
        held,
        audit,
        tracing,
        rootKey.made,
      );
    } catch (error) {
      await targets.stop();
      home.close();
      throw error;
    }
  }

  /** The fast door. */
  answerNode(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    return answerNode(this.api, incoming, outgoing);
  }

  /** What Prometheus asks for. */
  answerMetrics(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    return this.metrics.answer(exchangeOf(incoming, outgoing));
  }

  /** The door of Next's route handler. */
  async answer(request: Request): Promise<Response> {
    return await answerWeb(this.api, request, this.config.basePath);
  }

  /** Whether requests can be answered: our own store is there, and the picture of one target at least is whole. */
  get readiness(): { ready: boolean; state: string } {
    if (this.home.isAway) return { ready: false, state: "home store down" };
    const states = this.targets.keepers.map(({ target }) => target?.watcher.health().state ?? "down");
    const found = (["live", "partial"] as const).find((state) => states.includes(state));
    if (found !== undefined) return { ready: true, state: found };
    return { ready: false, state: states.includes("catching_up") ? "catching_up" : "down" };
  }

  /** The token of a one-time link to the console; undefined while the store that keeps it is away. */
  async makeLink(): Promise<string | undefined> {
    if (this.home.isAway) return undefined;
    try {
      return await this.admission.links.make({ name: this.config.operatorName, roles: { "*": "admin" } });
    } catch (error) {
      // All else runs by now, and another link can be made at any time.
      if (error instanceof UnavailableError || error instanceof UnknownOutcomeError) return undefined;
      throw error;
    }
  }

  /** Ends the streams of consoles and apps; they come back to whoever takes our place. */
  endStreams(): void {
    this.streams.closeAll();
  }

  /** Answers the requests that wait for locks; they may ask whoever takes our place. */
  endHeld(): void {
    this.held.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([this.targets.stop(), this.tracing?.stop(), this.audit.stop()]);
    this.home.close();
  }
}

function targetsOf({ config, ownUrl, log }: RuntimeParts, home: Home, openStore: OpenStore): Targets {
  const keeperOf = ({ where = ownUrl, ...settings }: Config["targets"][number]) => {
    if (where === undefined) throw new Error("the embedded Redis was not started");
    const open = (placed: PlacedSettings) =>
      openTarget(placed, { home, openStore, retention: config.history, log });
    return new TargetKeeper({ ...settings, where, locksMax: config.locksMax }, open, log);
  };
  const [first, ...others] = config.targets;
  return new Targets([keeperOf(first), ...others.map(keeperOf)]);
}

function openMetrics(config: Config, targets: Targets, streams: OpenStreams): Metrics | undefined {
  if (config.metrics === "off") return undefined;
  return new Metrics({ targets, streams, patterns: config.metricsPatterns });
}

async function firstTries({ keepers }: Targets): Promise<void> {
  const tries = Promise.all(keepers.map((keeper) => keeper.start()));
  await Promise.race([tries, sleep(FIRST_TRY_MS, undefined, { ref: false })]);
}

function ownUrlOf({ ownUrl }: RuntimeParts): string {
  if (ownUrl === undefined) throw new Error("the embedded Redis was not started");
  return ownUrl;
}

function notKept(where: Parameters<typeof labelOf>[0]): StartupError {
  return new StartupError(
    `Redis at ${labelOf(where)} answered once but does not keep our connections; see its log.`,
  );
}
