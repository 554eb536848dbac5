import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { createApi } from "./api/api.ts";
import type { Dispatcher } from "./api/dispatcher.ts";
import { RateLimits } from "./api/http/rate-limits.ts";
import { OpenStreams } from "./api/http/sse.ts";
import { LiveStreams } from "./api/live/live-streams.ts";
import { MetricsEndpoint } from "./api/metrics-endpoint.ts";
import { createNodeExchange, handleNodeRequest } from "./api/node-adapter.ts";
import { PendingRequests } from "./api/routing/pending-requests.ts";
import { RequestAuthenticator } from "./api/routing/request-authenticator.ts";
import { StoredResponses } from "./api/routing/stored-responses.ts";
import { handleWebRequest } from "./api/web-adapter.ts";
import { type Authenticator, openAuthenticator } from "./auth/authenticator.ts";
import { RootKey, type RootKeyListener } from "./auth/root-key.ts";
import type { Config } from "./config/config.ts";
import { formatLoginCommand } from "./config/launcher-commands.ts";
import { UnavailableError, UnknownOutcomeError } from "./errors/redis-errors.ts";
import { StartupError } from "./errors/startup-error.ts";
import { Audit } from "./history/audit/audit.ts";
import { AuditLog } from "./history/audit/audit-log.ts";
import { AuditStore } from "./history/audit/audit-store.ts";
import type { OpenStore } from "./history/recording.ts";
import type { HomeStore } from "./home/home-store.ts";
import { openHomeStore, waitForHomeStore } from "./home/open-home-store.ts";
import type { Readiness } from "./http/readiness.ts";
import { HoldQuotas } from "./quotas/hold-quotas.ts";
import { computeReadiness } from "./readiness.ts";
import type { EmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import { findHomeLocation } from "./start-configured-redis.ts";
import { Metrics } from "./stats/metrics.ts";
import { openTracing, type Tracing } from "./stats/tracing.ts";
import { VerbObserver } from "./stats/verb-observer.ts";
import { formatLocation } from "./targets/probe-target.ts";
import { type LocatedTargetSettings, openTarget } from "./targets/target.ts";
import { TargetConnector } from "./targets/target-connector.ts";
import { Targets } from "./targets/targets.ts";

/** Maximum time, in ms, for which targets that do not respond delay the startup. */
const INITIAL_CONNECT_MS = 2000;

export interface RuntimeOptions {
  readonly config: Config;
  /** The embedded Redis, if one was started. */
  readonly embeddedRedis: EmbeddedRedis | undefined;
  readonly log: Logger;
  /**
   * Called with the root key as soon as it is created, which can be after startup if the home store is unreachable. The
   * key cannot be retrieved later.
   */
  readonly onRootKeyCreated: RootKeyListener;
}

/** The application behind the HTTP server: targets, authentication, API and metrics. */
export class Runtime {
  private constructor(
    private readonly config: Config,
    private readonly dispatcher: Dispatcher,
    private readonly metricsEndpoint: MetricsEndpoint,
    readonly targets: Targets,
    private readonly home: HomeStore,
    private readonly authenticator: Authenticator,
    private readonly streams: OpenStreams,
    private readonly pendingRequests: PendingRequests,
    private readonly audit: Audit,
    private readonly tracing: Tracing | undefined,
  ) {}

  /** Starts the application. @throws StartupError if the application cannot be started */
  static async start(options: RuntimeOptions): Promise<Runtime> {
    const { config, log } = options;
    const where = findHomeLocation(config) ?? requireEmbeddedRedisUrl(options);
    const home = openHomeStore(where);
    const targets = createTargets(options, home, (name, more) => openHomeStore(where, name, more));
    const quotas = new HoldQuotas(config.holdQuota);
    // Registered before a target opens, so that no observation is missed.
    targets.onOpen((target) => quotas.watchTarget(target));
    try {
      // Connects to the target first, so that an unreachable Redis is reported as an error of the target and not of the
      // home store.
      const isSole = config.targetsSource === "environment";
      if (isSole) await targets.connectors[0].connectOnce();
      const found = await waitForHomeStore(home, formatLocation(where));
      if (found === "disconnected" && config.home === undefined && isSole)
        throw createUnstableRedisError(where);
      if (!isSole) await connectTargets(targets);
      const rootKey = await RootKey.open(home, config.rootKey, options.onRootKeyCreated);
      const { publicUrl, insecureHttp, basePath, sessions: sessionLimits, firstOperator } = config;
      const admission = await openAuthenticator(home, {
        sessionLimits: sessionLimits,
        firstOperator: firstOperator,
      });
      const { accountDirectory, apiKeyVerifier, sessions } = admission;
      const authentication = new RequestAuthenticator(rootKey, apiKeyVerifier, sessions, {
        publicUrl,
        insecureHttp,
        basePath,
      });
      const streams = new OpenStreams(config.streamsMax, config.streamsPerCallerMax);
      accountDirectory.onChange(() => streams.checkAll());
      const pendingRequests = new PendingRequests(config.waitersMax);
      const limits = new RateLimits(config.rateLimits);
      const storedResponses = new StoredResponses(home);
      const live = new LiveStreams();
      const metrics = createMetrics(config, targets, streams);
      const tracing = config.tracing && (await openTracing(config.tracing, log));
      const verbs = new VerbObserver({ onEnd: metrics?.recordVerb, startSpan: tracing?.startSpan });
      const auditStore = new AuditStore(home, config.audit);
      const auditLog = new AuditLog(auditStore, log);
      await home.whenAvailable(() => auditLog.load());
      const audit = new Audit(auditLog);
      const services = {
        ...admission,
        targets,
        authentication,
        live,
        streams,
        pendingRequests,
        limits,
        quotas,
        storedResponses,
        verbs,
        audit,
        auditStore,
        embeddedTarget: config.targets.some(({ where }) => where === undefined)
          ? options.embeddedRedis
          : undefined,
      };
      const endpoint = new MetricsEndpoint(
        metrics,
        config.metrics === "open" ? "open" : "key",
        authentication,
        limits,
        log,
        basePath,
      );
      const api = createApi(services, log, basePath);
      return new Runtime(
        config,
        api,
        endpoint,
        targets,
        home,
        admission,
        streams,
        pendingRequests,
        audit,
        tracing,
      );
    } catch (error) {
      await targets.stop();
      home.close();
      throw error;
    }
  }

  /** Handles a request from the Node adapter. */
  handleNodeRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    return handleNodeRequest(this.dispatcher, incoming, outgoing);
  }

  handleMetricsRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    return this.metricsEndpoint.handle(createNodeExchange(incoming, outgoing));
  }

  /** Handles a request from Next's route handler. */
  async handleWebRequest(request: Request): Promise<Response> {
    return await handleWebRequest(this.dispatcher, request, this.config.basePath);
  }

  /**
   * The command that prints a login link in this installation. Anyone can read the command, so it omits the options of
   * the launcher, which may contain addresses and paths.
   */
  get loginCommand(): string {
    return formatLoginCommand({ launcher: this.config.launcher, launcherOptions: [] }, this.config.port);
  }

  get readiness(): Readiness {
    return computeReadiness(this.home, this.targets.connectors);
  }

  /**
   * Creates a one-time link to the console and returns its token, or `undefined` if the home store is unreachable.
   */
  async createLoginLink(): Promise<string | undefined> {
    if (this.home.isDisconnected) return undefined;
    try {
      return await this.authenticator.loginLinks.create({
        name: this.config.operatorName,
        roles: { "*": "admin" },
      });
    } catch (error) {
      // The startup continues without a link. The link can be created at any time.
      if (error instanceof UnavailableError || error instanceof UnknownOutcomeError) return undefined;
      throw error;
    }
  }

  /** Ends all streams, so that clients reconnect to another instance. */
  closeStreams(): void {
    this.streams.closeAll();
  }

  /** Ends all requests that are waiting for locks. Clients can retry on another instance. */
  endPendingRequests(): void {
    this.pendingRequests.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([this.targets.stop(), this.tracing?.stop(), this.audit.stop()]);
    this.home.close();
  }
}

function createTargets(
  { config, embeddedRedis, log }: RuntimeOptions,
  home: HomeStore,
  openStore: OpenStore,
): Targets {
  const createConnector = ({ where = embeddedRedis?.url, ...settings }: Config["targets"][number]) => {
    if (where === undefined) throw new Error("the embedded Redis was not started");
    const open = (placed: LocatedTargetSettings) =>
      openTarget(placed, { home, openStore, retention: config.history, log });
    return new TargetConnector({ ...settings, where, locksMax: config.locksMax }, open, log);
  };
  const [first, ...others] = config.targets;
  return new Targets([createConnector(first), ...others.map(createConnector)]);
}

function createMetrics(config: Config, targets: Targets, streams: OpenStreams): Metrics | undefined {
  if (config.metrics === "off") return undefined;
  return new Metrics({ targets, streams, patterns: config.metricsPatterns });
}

async function connectTargets({ connectors }: Targets): Promise<void> {
  const tries = Promise.all(connectors.map((connector) => connector.start()));
  await Promise.race([tries, sleep(INITIAL_CONNECT_MS, undefined, { ref: false })]);
}

function requireEmbeddedRedisUrl({ embeddedRedis }: RuntimeOptions): string {
  if (embeddedRedis === undefined) throw new Error("the embedded Redis was not started");
  return embeddedRedis.url;
}

function createUnstableRedisError(where: Parameters<typeof formatLocation>[0]): StartupError {
  return new StartupError(
    `Redis at ${formatLocation(where)} responded but closes Lockkeeper's connections. The log of Redis may have the cause.`,
  );
}
