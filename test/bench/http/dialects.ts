import { randomUUID } from "node:crypto";
import { LEASE_MS } from "../contender.ts";
import {
  createAcquireScript,
  createReleaseScript,
  type PlainCall,
  parseGrantReply,
} from "./plain-scripts.ts";

/** The address and credentials that the load generator uses for a contender. */
export interface Target {
  readonly dialect: "lockkeeper" | "etcd" | "webdis";
  readonly port: number;
  /** The API key, or the lease id of etcd. */
  readonly secret: string;
}

/** Formats the requests of one lock API and recognizes success in its response bodies. */
export interface Dialect {
  acquire(lock: string): string;
  /**
   * Formats the release request.
   *
   * @param granted the response body of the acquire
   */
  release(lock: string, granted: string): string;
  isGranted(body: string): boolean;
  isReleased(body: string): boolean;
}

const OWNER = "checkout@pod-7:311";

export function createDialect(target: Target): Dialect {
  return DIALECTS[target.dialect](target);
}

const DIALECTS: Record<Target["dialect"], (target: Target) => Dialect> = {
  lockkeeper: createLockkeeperDialect,
  etcd: createEtcdDialect,
  webdis: createWebdisDialect,
};

function createLockkeeperDialect({ port, secret }: Target): Dialect {
  const headers = `authorization: Bearer ${secret}\r\ncontent-type: application/json\r\n`;
  const wish = JSON.stringify({ owner: OWNER, leaseMs: LEASE_MS });
  return {
    acquire: (lock) => post(port, `/api/v1/locks/${encodeURIComponent(lock)}/acquire`, headers, wish),
    release: (_, granted) => post(port, `/api/v1/holds/${readHoldId(granted)}/release`, headers, "{}"),
    isGranted: (body) => body.includes('"fence":"'),
    isReleased: (body) => body.includes('"outcome":"released"'),
  };
}

/**
 * Reads the hold id without parsing the whole body, because the load generator competes with the server for CPU time.
 */
function readHoldId(granted: string): string {
  return HOLD_ID.exec(granted)?.[1] ?? "";
}
const HOLD_ID = /"holdId":"([^"]+)"/;

/**
 * Creates the dialect of etcd's lock service. All locks share one lease, so that no pair includes the creation of a
 * lease.
 */
function createEtcdDialect({ port, secret: lease }: Target): Dialect {
  const json = "content-type: application/json\r\n";
  return {
    acquire: (lock) => {
      const name = Buffer.from(lock).toString("base64");
      return post(port, "/v3/lock/lock", json, JSON.stringify({ name, lease }));
    },
    release: (_, granted) => {
      const key: unknown = JSON.parse(granted).key;
      return post(port, "/v3/lock/unlock", json, JSON.stringify({ key }));
    },
    isGranted: (body) => body.includes('"key":"'),
    isReleased: (body) => body.includes('"header":{'),
  };
}

/**
 * Creates the dialect of webdis, which takes commands as paths. The two scripts are called with the arguments that the
 * core uses.
 */
function createWebdisDialect({ port }: Target): Dialect {
  const [acquire, release] = [createAcquireScript(), createReleaseScript()];
  const client = randomUUID();
  let ids = 0;
  const run = (sha: string, { keys, parameters }: PlainCall) => {
    const words = ["EVALSHA", sha, String(keys.length), ...keys, ...parameters];
    return `GET /${words.map(encodeURIComponent).join("/")} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
  };
  return {
    acquire: (lock) => {
      const request = { token: `${client}:${++ids}`, owner: OWNER, leaseMs: LEASE_MS, id: `webdis.${ids}` };
      return run(acquire.sha, acquire.call(lock, request));
    },
    release: (lock, granted) => {
      const { fence, token } = parseGrantReply(JSON.parse(granted).EVALSHA);
      return run(release.sha, release.call(lock, { token, fence, id: `webdis.${++ids}` }));
    },
    isGranted: (body) => isReply(body, "granted"),
    isReleased: (body) => isReply(body, "released"),
  };
}

/**
 * Whether the reply reports the outcome. A script replies with a string in the plain case and otherwise with an array.
 */
function isReply(body: string, outcome: string): boolean {
  return body.includes(`"${outcome}\\t`) || body.includes(`["${outcome}"`);
}

export function post(port: number, path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
