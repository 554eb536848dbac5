import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { createApi } from "./api/api.ts";
import { Authentication } from "./api/authentication.ts";
import type { Dispatcher } from "./api/dispatch.ts";
import { LiveStreams } from "./api/live/live-streams.ts";
import { MetricsDoor } from "./api/metrics-door.ts";
import { answerNode, exchangeOf } from "./api/node-door.ts";
import { OpenStreams } from "./api/sse.ts";
import { answerWeb } from "./api/web-door.ts";
import { Home } from "./auth/home.ts";
import { RootKey } from "./auth/root-key.ts";
import { makeLink, Sessions } from "./auth/sessions.ts";
import type { Config } from "./config.ts";
import { Metrics } from "./figures/metrics.ts";
import { VerbWatch } from "./figures/verb-watch.ts";
import { OURS_AT_HOME } from "./formats/keys.ts";
import { connect, type RedisAddress, whenOpen } from "./redis/connect.ts";
import { StartupError } from "./startup-error.ts";
import { openTarget, type TargetSettings } from "./targets/target.ts";
import type { TargetRedis } from "./targets/target-redis.ts";
import { Targets } from "./targets/targets.ts";

/** Everything that runs behind the doors, built once. */
export class Runtime {
  private constructor(
    private readonly config: Config,
    private readonly api: Dispatcher,
    private readonly metrics: MetricsDoor,
    private readonly targets: Targets,
    private readonly home: Home,
    private readonly streams: OpenStreams,
    /** The root key, when it was made just now; it is shown once. */
    readonly newRootKey: string | undefined,
  ) {}

  /** @throws StartupError */
  static async start(config: Config, redis: TargetRedis, port: () => number, log: Logger): Promise<Runtime> {
    const home = await openHome(redis.address);
    try {
      const rootKey = await RootKey.open(home, config.rootKey);
      const sessions = new Sessions(home);
      const { publicUrl, insecureHttp } = config;
      const authentication = new Authentication(rootKey, sessions, { publicUrl, insecureHttp, port });
      const targets = new Targets([await openTarget(settingsOf(config), redis, home, log)]);
      const streams = new OpenStreams(config.streamsMax);
      const live = new LiveStreams();
      const metrics = openMetrics(config, targets, streams);
      const verbs = new VerbWatch({ count: metrics?.verbEnded });
      const services = { targets, sessions, authentication, live, streams, verbs };
      const door = new MetricsDoor(metrics, config.metrics === "open" ? "open" : "key", authentication, log);
      return new Runtime(config, createApi(services, log), door, targets, home, streams, rootKey.made);
    } catch (error) {
      home.redis.disconnect();
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
    return await answerWeb(this.api, request);
  }

  /** Whether requests can be answered: Redis is there and the picture is whole. */
  get readiness(): { ready: boolean; state: string } {
    const { state } = this.targets.of(undefined).watcher.health();
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

  async stop(): Promise<void> {
    await this.targets.close();
    this.home.redis.disconnect();
  }
}

function settingsOf({ target, watch, lockable, notifications, formatRules }: Config): TargetSettings {
  const policy = { watch, lockable, notifications };
  return { name: target, label: target, environment: undefined, policy, formatRules };
}

function openMetrics(config: Config, targets: Targets, streams: OpenStreams): Metrics | undefined {
  if (config.metrics === "off") return undefined;
  return new Metrics({ targets: targets.all, streams, patterns: config.metricsPatterns });
}

/** @throws StartupError when Redis does not let us keep our own keys */
async function openHome(address: RedisAddress): Promise<Home> {
  const redis = connect(address, "home");
  const home = new Home(redis);
  try {
    await whenOpen([redis], address);
    await home.settle();
    return home;
  } catch (error) {
    redis.disconnect();
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const said = reason instanceof Error ? reason.message : String(reason);
    throw new StartupError(
      `Redis at ${address.label} does not let us keep our own keys, which begin with ${OURS_AT_HOME} (${said}).`,
    );
  }
}
