import { EventEmitter } from "node:events";
import { createConnection, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import type { RedisAddress } from "./connect.ts";

/** What INFO says of a server as a connection to it begins. */
interface ServerIdentity {
  readonly runId: string | undefined;
  readonly replid: string | undefined;
  /** Of the master that it followed before it was promoted. */
  readonly followed: string | undefined;
}

type Info = Readonly<Record<string, string | undefined>>;

const NO_REPLID = /^0*$/;
/** As long as ioredis waits for a connection to be closed by the other side. */
const GOODBYE_MS = 2000;

/**
 * Which server stands at a place: a connection, or a node of a cluster. Tells when it is another one than before, or
 * one that was promoted. It is found out as a connection begins, before anything can be sent on it, from what ioredis
 * asks then anyway.
 */
export class ReplicationIdentity extends EventEmitter<{ replaced: [place: string] }> {
  readonly #identities = new Map<string, ServerIdentity>();
  readonly #runIds = new Map<string, string | undefined>();

  /**
   * Returns the run id of the server that a connection leads to: two connections to one address may lead to two
   * servers. undefined before it is connected, and when INFO is not allowed.
   */
  getRunId(place: string, connection = ""): string | undefined {
    return this.#runIds.get(`${connection} ${place}`);
  }

  /**
   * The same address; who is there is looked at whenever a connection begins.
   *
   * @param connection tells connections to one place apart
   */
  watchAddress(address: RedisAddress, place: string, connection = ""): RedisAddress {
    const see = (info: Info) => {
      this.#runIds.set(`${connection} ${place}`, info.run_id);
      this.#recordInfo(place, info);
    };
    const Connector = new Proxy(address.options.Connector ?? createDirectConnector(address.options), {
      construct(Base, [options]: [unknown]) {
        const connector = new Base(options);
        const isRight = connector.check.bind(connector);
        connector.check = (info: Info) => {
          if (!isRight(info)) return false;
          see(info);
          return true;
        };
        return connector;
      },
    });
    return { ...address, options: { ...address.options, Connector } };
  }

  #recordInfo(place: string, info: Info): void {
    const before = this.#identities.get(place);
    const now = parseIdentity(info);
    const isReplaced = before === undefined ? this.#isPromotedReplica(now) : isOtherServer(before, now);
    this.#identities.set(place, now);
    // A replica grants nothing; once it is promoted it shows another history.
    if (isReplaced && info.role !== "slave") this.emit("replaced", place);
  }

  #isPromotedReplica({ followed }: ServerIdentity): boolean {
    return followed !== undefined && [...this.#identities.values()].some(({ replid }) => replid === followed);
  }
}

function parseIdentity({
  run_id: runId,
  master_replid: replid,
  master_replid2: replid2 = "",
}: Info): ServerIdentity {
  return { runId, replid, followed: NO_REPLID.test(replid2) ? undefined : replid2 };
}

function isOtherServer(before: ServerIdentity, now: ServerIdentity): boolean {
  // Whoever may not ask cannot tell a broken connection from another server.
  if (now.runId === undefined || now.runId !== before.runId) return true;
  // A master whose replicas have long gone takes a new id as well, and followed nobody.
  return now.replid !== before.replid && now.followed !== undefined;
}

/** As ioredis's own, which it does not let out. */
function createDirectConnector({
  path,
  host,
  port,
  tls,
}: RedisOptions): NonNullable<RedisOptions["Connector"]> {
  const where = path === undefined ? { host: host ?? "127.0.0.1", port: port ?? 6379 } : { path };
  return class extends AbstractConnector {
    constructor() {
      super(GOODBYE_MS);
    }

    async connect(): Promise<Socket> {
      this.connecting = true;
      const stream = tls === undefined ? createConnection(where) : connectTls({ ...where, ...tls });
      this.stream = stream;
      stream.once("error", (error) => {
        this.firstError = error;
      });
      return stream;
    }
  };
}
