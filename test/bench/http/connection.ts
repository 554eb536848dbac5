import { connect, type Socket } from "node:net";
import { ResponseReader } from "./response-reader.ts";

const BUFFER_BYTES = 16 * 1024;

/**
 * A persistent HTTP connection with one request at a time. It uses a plain socket, because a client library would need
 * as much CPU time as a server.
 */
export class Connection {
  readonly #reader = new ResponseReader();
  #onBody: ((body: string) => void) | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly onBroken: (why: string) => void,
  ) {}

  static open(port: number, onBroken: (why: string) => void): Promise<Connection> {
    return new Promise((resolve) => {
      const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
      const callback = (bytes: number) => {
        connection.#take(buffer.toString("latin1", 0, bytes));
        return true;
      };
      const socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer, callback } });
      const connection = new Connection(socket, onBroken);
      socket.once("connect", () => resolve(connection));
      socket.once("error", (error) => onBroken(error.message));
      socket.once("end", () => onBroken("the server closed the connection"));
    });
  }

  send(request: string, onBody: (body: string) => void): void {
    this.#onBody = onBody;
    this.socket.write(request, "latin1");
  }

  close(): void {
    this.socket.removeAllListeners("end");
    this.socket.destroy();
  }

  #take(bytes: string): void {
    const answer = this.#reader.push(bytes);
    if (answer === undefined) return;
    if (answer.status >= 200 && answer.status < 300) this.#onBody?.(answer.body);
    else this.onBroken(`it answered ${answer.status}: ${answer.body.slice(0, 300)}`);
  }
}
