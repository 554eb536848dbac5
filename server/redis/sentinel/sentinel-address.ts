import { StartupError } from "../../errors/startup-error.ts";
import { formatNodeName, type NodeName } from "../cluster/cluster-map.ts";
import { parseRedisAddress, type RedisAddress } from "../connect.ts";
import { createSentinelConnector } from "./sentinel-connector.ts";
import { Sentinels } from "./sentinels.ts";

export interface SentinelLocation {
  /** URLs of the sentinels, with `redis://` or `rediss://`. Each URL has its own user, password and TLS settings. */
  readonly sentinel: readonly string[];
  /** The name of the master in the sentinels' configuration. */
  readonly master: string;
  /**
   * A URL with the user, password, database and TLS settings for the master; `redis://` by default. The host of the URL
   * is ignored.
   */
  readonly redis?: string;
  /** Maps server addresses that Lockkeeper cannot reach to addresses that it can reach, both as `host:port`. */
  readonly natMap?: Readonly<Record<NodeName, NodeName>>;
}

/**
 * Returns an address that resolves to the current master of a Sentinel group. Each connection queries the sentinels for
 * the master when it opens, and is closed when another server is promoted.
 *
 * @throws StartupError if there is no sentinel, a URL is invalid, or the name of the master is missing
 */
export function createSentinelAddress({
  sentinel,
  master,
  redis = "redis://master",
  natMap = {},
}: SentinelLocation): RedisAddress {
  if (sentinel.length === 0) throw new StartupError("Give the URL of at least one sentinel.");
  if (master === "") {
    throw new StartupError("Give the name by which the sentinels know the master, as in SENTINEL MASTERS.");
  }
  const { options, db } = parseRedisAddress(redis);
  if (options.path !== undefined) {
    throw new StartupError(
      "The master of a Sentinel group is reached over TCP; write redis:// or rediss://.",
    );
  }
  const { host: _host, port: _port, tls, ...rest } = options;
  const sentinels = new Sentinels(master, sentinel.map(parseSentinelUrl), natMap);
  // The TLS server name is not fixed, because each master has its own certificate.
  const security = tls === undefined ? {} : { tls: {} };
  return {
    options: { ...rest, ...security, Connector: createSentinelConnector(sentinels, security.tls) },
    label: `Sentinel ${master}/${db}`,
    db,
  };
}

/** Parses the URL of a sentinel, with 26379 as the default port. @throws StartupError if the URL is not valid */
export function parseSentinelUrl(url: string): RedisAddress {
  const { options, db } = parseRedisAddress(url);
  if (options.path !== undefined || db !== 0) {
    throw new StartupError(
      "A sentinel is reached over TCP and has no databases; write it as redis://host:26379.",
    );
  }
  const port = /:\d+\/?$/.test(new URL(url).host) ? Number(options.port) : SENTINEL_PORT;
  const label = formatNodeName(String(options.host), port);
  return { options: { ...options, port }, label, db };
}

const SENTINEL_PORT = 26_379;
