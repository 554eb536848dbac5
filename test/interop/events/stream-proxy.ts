import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n";
const HELLO = /^event: hello\ndata: .*"newest":(?:"([^"]+)"|null)/m;
const HALF_MESSAGE = /^id: .*\nevent: .*\ndata: ./m;

/** Starts a proxy in front of a Lockkeeper server. */
export async function startStreamProxy(serverUrl: string): Promise<StreamProxy> {
  const server = createServer((client) => proxy.accept(client));
  const proxy = new StreamProxy(server, serverUrl);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return proxy;
}

/** A proxy on a fixed port that can cut, silence and refuse event streams. */
export class StreamProxy {
  /** How new connections are handled. `bad_gateway` returns status 502 with an HTML page. */
  mode: "pass" | "bad_gateway" = "pass";
  /** Whether the server's data is withheld from the clients. A new connection resets it. */
  isSilent = false;
  /** If set, replaces the client's `Last-Event-ID` in requests. */
  lastEventId: string | undefined;
  /** Number of streams that have begun. */
  streamCount = 0;
  /** The `newest` id in the first `hello` message; undefined if the history was empty. */
  firstNewestId: string | undefined;
  /** Number of requests that were answered with 502. */
  refusedCount = 0;
  #cutsNextMessage = false;
  readonly #sockets = new Set<Socket>();

  constructor(
    private readonly server: Server,
    /** URL of the server to which new connections are forwarded. */
    public serverUrl: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Makes the proxy close the connection in the middle of the next event. */
  cutInNextMessage(): void {
    this.#cutsNextMessage = true;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  accept(client: Socket): void {
    this.#track(client);
    if (this.mode === "bad_gateway") {
      client.once("data", () => this.#refuse(client));
      return;
    }
    // A new connection must not be silent, because only the existing ones were silenced.
    this.isSilent = false;
    const { hostname, port } = new URL(this.serverUrl);
    const server = connect(Number(port), hostname);
    this.#track(server);
    client.on("data", (chunk) => server.write(this.#replaceLastId(chunk.toString("latin1")), "latin1"));
    server.on("data", (chunk) => this.#forward(chunk.toString("latin1"), client));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("close", () => other.destroy());
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, "close");
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => this.#sockets.delete(socket));
  }

  #replaceLastId(request: string): string {
    return this.lastEventId === undefined
      ? request
      : request.replace(/^(last-event-id: )[^\r]*/im, `$1${this.lastEventId}`);
  }

  #refuse(client: Socket): void {
    this.refusedCount++;
    const length = Buffer.byteLength(BAD_GATEWAY);
    client.end(
      `HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${BAD_GATEWAY}`,
    );
  }

  #forward(text: string, client: Socket): void {
    if (this.isSilent) return;
    const hello = HELLO.exec(text);
    if (hello !== null && this.streamCount++ === 0) this.firstNewestId = hello[1];
    const half = this.#cutsNextMessage ? HALF_MESSAGE.exec(text) : null;
    if (half === null) {
      client.write(text, "latin1");
      return;
    }
    this.#cutsNextMessage = false;
    client.end(text.slice(0, half.index + half[0].length), "latin1");
  }
}
