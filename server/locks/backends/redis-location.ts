import { StartupError } from "../../errors/startup-error.ts";
import { clusterAddressOf } from "../../redis/cluster/cluster-address.ts";
import { addressOf } from "../../redis/connect.ts";
import { votingAddressesOf } from "../../redis/masters/voting-masters.ts";
import { sentinelAddressOf } from "../../redis/sentinel/sentinel-address.ts";
import type { Where } from "./open-backend.ts";

export const URL_SCHEMES = [
  "redis://",
  "rediss://",
  "unix://",
  "redis-sentinel://",
  "rediss-sentinel://",
  "redis-cluster://",
  "rediss-cluster://",
] as const;

export const URL_BEGINNING = new RegExp(`^(${URL_SCHEMES.join("|")})`);

const MANY = /^(redis|rediss)-(sentinel|cluster):\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * What one URL says: `redis-sentinel://[user:password@]host:port,host:port/db?master=NAME` and
 * `redis-cluster://[user:password@]host:port,host:port` name several hosts. User and password are those of the servers
 * that hold the data.
 *
 * @throws StartupError when it cannot be read; the message begins with what it is about, and holds no password
 */
export function whereOfUrl(url: string): Where {
  const parts = MANY.exec(url);
  const where = parts === null ? url : whereOfMany(parts);
  assertWhere(where);
  return where;
}

/** @throws StartupError when a URL in it cannot be read */
export function assertWhere(where: Where): void {
  if (typeof where === "string") addressOf(where);
  else if ("sentinel" in where) sentinelAddressOf(where);
  else if ("cluster" in where) clusterAddressOf(where);
  else votingAddressesOf(where.quorum);
}

function whereOfMany([, scheme, kind, credentials, hosts = "", db = "", query]: RegExpExecArray): Where {
  const at = credentials === undefined ? "" : `${credentials}@`;
  const names = hosts.split(",").filter((host) => host !== "");
  if (names.length === 0) throw new StartupError(`REDIS_URL names no host; write ${shapeOf(kind)}.`);
  if (kind === "cluster") return { cluster: names.map((name) => `${scheme}://${at}${name}`) };
  const master = new URLSearchParams(query).get("master");
  if (master === null || master === "") {
    throw new StartupError(`REDIS_URL names no master; write ${shapeOf(kind)}.`);
  }
  return {
    sentinel: names.map((name) => `${scheme}://${name}`),
    master,
    redis: `${scheme}://${at}master/${db}`,
  };
}

function shapeOf(kind: string | undefined): string {
  return kind === "cluster"
    ? "redis-cluster://[user:password@]host:port,host:port"
    : "redis-sentinel://[user:password@]host:port,host:port/0?master=NAME";
}
