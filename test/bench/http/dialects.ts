import { LEASE_MS } from "../contender.ts";
import { createPlainScript } from "./plain-scripts.ts";

/** Where a contender is reached and what it has to be told; goes to the process that makes the load. */
export interface Target {
  readonly dialect: "lockkeeper" | "etcd" | "webdis";
  readonly port: number;
  /** The API key, or the lease of etcd. */
  readonly secret: string;
}

/** The requests of one lock API as text, and how to recognise success in a response body. */
export interface Dialect {
  acquire(lock: string): string;
  /** @param granted body of the response to `acquire` */
  release(lock: string, granted: string): string;
  isGranted(body: string): boolean;
  isReleased(body: string): boolean;
}

export const OWNER = "checkout@pod-7:311";

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
  const verb = (lock: string, name: string, body: string) =>
    post(port, `/api/v1/locks/${encodeURIComponent(lock)}/${name}`, headers, body);
  const wish = JSON.stringify({ owner: OWNER, leaseMs: LEASE_MS });
  const owner = JSON.stringify({ owner: OWNER });
  return {
    acquire: (lock) => verb(lock, "acquire", wish),
    release: (lock) => verb(lock, "release", owner),
    isGranted: (body) => body.includes('"fence":"'),
    isReleased: (body) => body.includes('"outcome":"released"'),
  };
}

/** Its lock service, which keeps a lock for as long as a lease: one lease for all, so that none is made a pair. */
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

/** Commands as paths: the two scripts with the arguments that the core gives them. */
function createWebdisDialect({ port }: Target): Dialect {
  const scripts = { acquire: createPlainScript("acquire"), release: createPlainScript("release") };
  let ids = 0;
  const run = (verb: keyof typeof scripts, lock: string) => {
    const { sha, call } = scripts[verb];
    const { keys, parameters } = call({ lock, owner: OWNER, leaseMs: LEASE_MS, id: `webdis.${++ids}` });
    const words = ["EVALSHA", sha, String(keys.length), ...keys, ...parameters];
    return `GET /${words.map(encodeURIComponent).join("/")} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
  };
  return {
    acquire: (lock) => run("acquire", lock),
    release: (lock) => run("release", lock),
    isGranted: (body) => isReply(body, "granted"),
    isReleased: (body) => isReply(body, "released"),
  };
}

/** A script replies with a string in its plain case and with an array otherwise. */
function isReply(body: string, outcome: string): boolean {
  return body.includes(`"${outcome}\\t`) || body.includes(`["${outcome}"`);
}

export function post(port: number, path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
