import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";

/** Starts a TCP proxy in front of Redis that can drop, hold back and redirect traffic. */
export async function startTestProxy(
  targetPort: number,
  random: () => number = Math.random,
): Promise<TestProxy> {
  const server = createServer((client) => proxy.accept(client));
  const proxy = new TestProxy(server, targetPort, random);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return proxy;
}

/** The name that stands for the connection of a replica to its master. */
export const REPLICATION_LINK = "replication";

export class TestProxy {
  /**
   * `drop_replies`: Redis executes the request, but the reply is dropped and the connection closed.
   * `keep_requests`: requests are kept and their connections closed. `deliverKept()` sends the requests to Redis.
   */
  mode: "pass" | "drop_replies" | "keep_requests" = "pass";
  /** Fraction of replies that are dropped in the mode `pass`, from 0 to 1. */
  dropShare = 0;
  /** Returns the delay of replies to connections with the given name in the mode `pass`, in milliseconds. */
  getDelayMs: (name: string | undefined) => number = () => 0;
  /** Text of a reply from which on a connection receives no more replies but stays open. */
  heldText: string | undefined;
  /** Number of replies that were dropped so far. */
  droppedCount = 0;
  readonly #links = new Set<ProxyLink>();
  readonly #requestCounts = new Map<string, number>();
  #stalled: string | undefined;

  constructor(
    private readonly server: Server,
    /** The port to which new connections are forwarded. Existing connections are not redirected. */
    public targetPort: number,
    readonly random: () => number,
  ) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Number of kept requests that were not delivered. */
  get keptCount(): number {
    return [...this.#links].filter((link) => link.hasKeptRequest).length;
  }

  accept(client: Socket): void {
    const link = new ProxyLink(client, this, () => this.#links.delete(link));
    this.#links.add(link);
  }

  /** Returns the number of packets received from connections with the given name. */
  countRequests(name: string): number {
    return this.#requestCounts.get(name) ?? 0;
  }

  recordRequest(name: string | undefined): void {
    if (name !== undefined) this.#requestCounts.set(name, this.countRequests(name) + 1);
  }

  /**
   * Stalls the connections with the given name (CLIENT SETNAME, or `REPLICATION_LINK`): they stay open but pass no data
   * until `stall` is called with another name or `undefined`.
   */
  stall(name: string | undefined): void {
    this.#stalled = name;
    for (const link of this.#links) link.flush();
  }

  isStalled(name: string | undefined): boolean {
    return name !== undefined && this.#stalled === name;
  }

  deliverKept(): void {
    for (const link of this.#links) link.deliverKept();
  }

  cut(): void {
    for (const link of this.#links) link.cut();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, "close");
  }
}

/** A connection from a client and the corresponding connection to Redis. */
class ProxyLink {
  readonly #redis: Socket;
  readonly #waiting: (() => void)[] = [];
  #kept: Buffer | undefined;
  #name: string | undefined;
  #isHeld = false;

  constructor(
    private readonly client: Socket,
    private readonly proxy: TestProxy,
    private readonly onEnd: () => void,
  ) {
    this.#redis = dial(proxy.targetPort, "127.0.0.1");
    // Redis and ioredis also disable Nagle's algorithm.
    for (const socket of [client, this.#redis]) socket.setNoDelay(true);
    client.on("data", (chunk) => {
      this.#name ??= parseClientName(chunk);
      proxy.recordRequest(this.#name);
      this.#enqueue(() => this.#forwardRequest(chunk));
    });
    this.#redis.on("data", (chunk) => this.#enqueue(() => this.#forwardReply(chunk)));
    for (const socket of [client, this.#redis]) socket.on("error", () => this.cut());
    client.on("close", () => {
      if (!this.hasKeptRequest) this.cut();
    });
    this.#redis.on("close", () => this.cut());
  }

  get hasKeptRequest(): boolean {
    return this.#kept !== undefined;
  }

  cut(): void {
    this.client.destroy();
    this.#redis.destroy();
    this.onEnd();
  }

  /** Passes on the queued data, unless the connection is stalled. */
  flush(): void {
    while (this.#waiting.length > 0 && !this.proxy.isStalled(this.#name)) this.#waiting.shift()?.();
  }

  deliverKept(): void {
    if (this.#kept !== undefined) this.#redis.end(this.#kept);
  }

  #enqueue(send: () => void): void {
    this.#waiting.push(send);
    this.flush();
  }

  #forwardRequest(chunk: Buffer): void {
    if (this.proxy.mode !== "keep_requests") {
      this.#redis.write(chunk);
      return;
    }
    this.#kept ??= chunk;
    this.client.destroy();
  }

  #forwardReply(chunk: Buffer): void {
    const { proxy } = this;
    if (proxy.heldText !== undefined && chunk.includes(proxy.heldText)) this.#isHeld = true;
    if (this.hasKeptRequest || this.#isHeld) return;
    if (proxy.mode !== "drop_replies" && proxy.random() >= proxy.dropShare) {
      const delayMs = proxy.getDelayMs(this.#name);
      // Timers with the same delay fire in the order in which they were set, so replies stay in order.
      if (delayMs > 0) setTimeout(() => this.client.write(chunk), delayMs);
      else this.client.write(chunk);
      return;
    }
    proxy.droppedCount++;
    this.cut();
  }
}

function parseClientName(request: Buffer): string | undefined {
  if (request.includes("REPLCONF")) return REPLICATION_LINK;
  return /\r\nsetname\r\n\$\d+\r\nlockkeeper:([^\r]+)\r\n/i.exec(request.toString("latin1"))?.[1];
}
