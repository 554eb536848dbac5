import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";

/**
 * How a link treats connections. `drop`: one in three replies is dropped and its connection closed, after Redis has
 * executed the request. `delay`: replies are delayed. `cut`: connections are closed and refused. `mute`: connections
 * stay open but pass no data in either direction.
 */
export type LinkMode = "pass" | "drop" | "delay" | "cut" | "mute";

const DROP_SHARE = 1 / 3;

/** A TCP proxy for the connections from one process to one server, which can disturb these connections. */
export class Link {
  readonly #server: Server;
  readonly #ends = new Set<ProxiedConnection>();
  #mode: LinkMode = "pass";
  delayMs = 0;

  private constructor(
    private readonly targetPort: number,
    private readonly random: () => number,
    readonly latencyMs: number,
  ) {
    this.#server = createServer((client) => this.#take(client));
  }

  /** Opens a link. @param latencyMs latency of each direction, in every mode */
  static async open(targetPort: number, random: () => number, latencyMs = 0): Promise<Link> {
    const link = new Link(targetPort, random, latencyMs);
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get mode(): LinkMode {
    return this.#mode;
  }

  set(mode: LinkMode): void {
    this.#mode = mode;
    for (const wire of this.#ends) {
      if (mode === "cut") wire.cut();
      else wire.flow();
    }
  }

  isLosing(): boolean {
    return this.#mode === "drop" && this.random() < DROP_SHARE;
  }

  /** Closes all connections. Used after the process that opened them has been killed. */
  cutAll(): void {
    for (const wire of this.#ends) wire.cut();
  }

  close(): void {
    this.cutAll();
    this.#server.close();
  }

  #take(client: Socket): void {
    if (this.#mode === "cut") {
      client.destroy();
      return;
    }
    const wire = new ProxiedConnection(this, client, dial(this.targetPort, "127.0.0.1"), () =>
      this.#ends.delete(wire),
    );
    this.#ends.add(wire);
  }
}

/** A connection from a client and the corresponding connection to the server. */
class ProxiedConnection {
  readonly #toRedis: Lane;
  readonly #toClient: Lane;

  constructor(
    link: Link,
    private readonly client: Socket,
    private readonly redis: Socket,
    private readonly onEnd: () => void,
  ) {
    this.#toRedis = new Lane(link, redis);
    this.#toClient = new Lane(link, client);
    for (const socket of [client, redis]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.cut());
      socket.on("close", () => this.cut());
    }
    client.on("data", (chunk) => this.#toRedis.pass(chunk, link.latencyMs));
    redis.on("data", (chunk) => {
      if (link.isLosing()) this.cut();
      else this.#toClient.pass(chunk, link.latencyMs + (link.mode === "delay" ? link.delayMs : 0));
    });
  }

  cut(): void {
    for (const lane of [this.#toRedis, this.#toClient]) lane.end();
    this.client.destroy();
    this.redis.destroy();
    this.onEnd();
  }

  flow(): void {
    this.#toRedis.flow();
    this.#toClient.flow();
  }
}

/** One direction of a connection. Delayed data also delays subsequent data, as in TCP. */
class Lane {
  readonly #waiting: { readonly chunk: Buffer; readonly notBefore: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: Link,
    private readonly to: Socket,
  ) {}

  pass(chunk: Buffer, delayMs: number): void {
    this.#waiting.push({ chunk, notBefore: performance.now() + delayMs });
    this.flow();
  }

  flow(): void {
    clearTimeout(this.#timer);
    while (this.link.mode !== "mute") {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const inMs = next.notBefore - performance.now();
      if (inMs > 0) {
        this.#timer = setTimeout(() => this.flow(), inMs);
        return;
      }
      this.#waiting.shift();
      this.to.write(next.chunk);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }
}
