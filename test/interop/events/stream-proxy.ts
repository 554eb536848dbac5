import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n";
const HELLO = /^event: hello\ndata: .*"newest":(?:"([^"]+)"|null)/m;
const HALF_MESSAGE = /^id: .*\nevent: .*\ndata: ./m;

/** Starts a proxy in front of a server's event stream. */
export async function startStreamProxy(serverUrl: string): Promise<StreamProxy> {
  const server = createServer((client) => proxy.accept(client));
  const proxy = new StreamProxy(server, serverUrl);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return proxy;
}

/** A proxy on a fixed port, which can cut, silence and refuse event streams. */
export class StreamProxy {
  /** The handling of new connections. `bad_gateway`: a 502 with an HTML page. */
  mode: "pass" | "bad_gateway" = "pass";
  /** Whether data is withheld from the connections that are open now. */
  isSilent = false;
  /** Sent to the server instead of the client's own `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Number of streams that began. */
  streamCount = 0;
  /** `newest` of the first `hello`; undefined if the history is empty. */
  firstNewestId: string | undefined;
  /** Number of requests that got a 502. */
  refusedCount = 0;
  #cutsNextMessage = false;
  readonly #sockets = new Set<Socket>();

  constructor(
    private readonly server: Server,
    /** The server that new connections lead to. */
    public serverUrl: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the connection in the middle of the next event. */
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
    // A stream that begins now is not the one that was silenced.
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
