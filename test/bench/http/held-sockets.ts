import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Maximum number of connections that are opened at once. It must be lower than the listen backlog of the server. */
const AT_ONCE = 100;

/** Requests that the server keeps open, each on its own connection. */
export class HeldSockets {
  readonly #sockets: Socket[] = [];

  /**
   * Opens requests and waits until the server holds each of them.
   *
   * @param isHeld whether the response received so far shows that the server holds the request. Without it, resolves
   * when the requests have been sent
   */
  async open(port: number, requests: readonly string[], isHeld?: (answer: string) => boolean): Promise<void> {
    for (let at = 0; at < requests.length; at += AT_ONCE) {
      await Promise.all(requests.slice(at, at + AT_ONCE).map((request) => this.#open(port, request, isHeld)));
    }
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  async #open(port: number, request: string, isHeld: ((answer: string) => boolean) | undefined) {
    const socket = connect(port, "127.0.0.1");
    this.#sockets.push(socket);
    await once(socket, "connect");
    socket.on("error", () => undefined);
    socket.write(request);
    if (isHeld === undefined) {
      socket.resume();
      return;
    }
    let answer = "";
    for (socket.setEncoding("latin1"); !isHeld(answer); ) answer += (await once(socket, "data"))[0];
    socket.on("data", () => undefined);
  }
}
