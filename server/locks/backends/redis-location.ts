import { StartupError } from "../../errors/startup-error.ts";
import { toClusterAddress } from "../../redis/cluster/cluster-address.ts";
import { parseRedisAddress } from "../../redis/connect.ts";
import { parseVotingAddresses } from "../../redis/masters/voting-masters.ts";
import { createSentinelAddress } from "../../redis/sentinel/sentinel-address.ts";
import type { RedisLocation } from "./open-backend.ts";

export const URL_SCHEMES = [
  "redis://",
  "rediss://",
  "unix://",
  "redis-sentinel://",
  "rediss-sentinel://",
  "redis-cluster://",
  "rediss-cluster://",
] as const;

export const URL_SCHEME_PATTERN = new RegExp(`^(${URL_SCHEMES.join("|")})`);

const MULTI_HOST_URL =
  /^(redis|rediss)-(sentinel|cluster):\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Parses the URL of a Redis server, Sentinel group or Redis Cluster. The forms
 * `redis-sentinel://[user:password@]host:port,host:port/db?master=NAME` and
 * `redis-cluster://[user:password@]host:port,host:port` specify several hosts. The user and the password are those of
 * the servers that store the data.
 *
 * @throws StartupError if the URL is invalid. The message begins with the name of the setting and contains no password
 */
export function parseRedisLocation(url: string): RedisLocation {
  const parts = MULTI_HOST_URL.exec(url);
  const where = parts === null ? url : parseMultiHostUrl(parts);
  assertRedisLocation(where);
  return where;
}

/** Asserts that all URLs in a location are valid. @throws StartupError if a URL in `where` is invalid */
export function assertRedisLocation(where: RedisLocation): void {
  if (typeof where === "string") parseRedisAddress(where);
  else if ("sentinel" in where) createSentinelAddress(where);
  else if ("cluster" in where) toClusterAddress(where);
  else parseVotingAddresses(where.quorum);
}

function parseMultiHostUrl([
  ,
  scheme,
  kind,
  credentials,
  hosts = "",
  db = "",
  query,
]: RegExpExecArray): RedisLocation {
  const at = credentials === undefined ? "" : `${credentials}@`;
  const names = hosts.split(",").filter((host) => host !== "");
  if (names.length === 0)
    throw new StartupError(`REDIS_URL names no host; write ${describeUrlSyntax(kind)}.`);
  if (kind === "cluster") return { cluster: names.map((name) => `${scheme}://${at}${name}`) };
  const master = new URLSearchParams(query).get("master");
  if (master === null || master === "") {
    throw new StartupError(`REDIS_URL names no master; write ${describeUrlSyntax(kind)}.`);
  }
  return {
    sentinel: names.map((name) => `${scheme}://${name}`),
    master,
    redis: `${scheme}://${at}master/${db}`,
  };
}

function describeUrlSyntax(kind: string | undefined): string {
  return kind === "cluster"
    ? "redis-cluster://[user:password@]host:port,host:port"
    : "redis-sentinel://[user:password@]host:port,host:port/0?master=NAME";
}
