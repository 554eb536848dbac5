import { EventEmitter } from "node:events";
import { createConnection, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import type { RedisAddress } from "./connect.ts";

/** Fields of INFO, read when a connection to the server opens. */
interface ServerIdentity {
  readonly runId: string | undefined;
  readonly replid: string | undefined;
  /** The replication id of the master that the server followed before its promotion. */
  readonly followed: string | undefined;
}

type Info = Readonly<Record<string, string | undefined>>;

const NO_REPLID = /^0*$/;
/** Time limit, in ms, for the server to close a connection. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * Identifies the server behind a connection or cluster node, and emits `replaced` when another server takes its place
 * or the server is promoted. The identity comes from the reply to INFO, which ioredis sends when a connection opens, so
 * the identity is known before the first command.
 */
export class ReplicationIdentity extends EventEmitter<{ replaced: [place: string] }> {
  readonly #identities = new Map<string, ServerIdentity>();
  readonly #runIds = new Map<string, string | undefined>();

  /**
   * Returns the run id of the server behind a connection. Two connections to the same address may reach different
   * servers. Returns `undefined` before the connection opens, or if the user is not allowed to run INFO.
   */
  getRunId(place: string, connection = ""): string | undefined {
    return this.#runIds.get(`${connection} ${place}`);
  }

  /**
   * Returns the address with a hook that identifies the server whenever a connection opens.
   *
   * @param connection a name that distinguishes connections to the same place
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
    // A replica grants no locks. Its replication id changes when it is promoted.
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
  // If INFO is not permitted, a reconnect to the same server is indistinguishable from a connection to another server.
  if (now.runId === undefined || now.runId !== before.runId) return true;
  // A master without replicas also changes its id after some time, but then has no second id.
  return now.replid !== before.replid && now.followed !== undefined;
}

/** Creates a connector like the default one of ioredis, which does not export it. */
function createDirectConnector({
  path,
  host,
  port,
  tls,
}: RedisOptions): NonNullable<RedisOptions["Connector"]> {
  const where = path === undefined ? { host: host ?? "127.0.0.1", port: port ?? 6379 } : { path };
  return class extends AbstractConnector {
    constructor() {
      super(CLOSE_TIMEOUT_MS);
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
