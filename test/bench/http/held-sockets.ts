import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Less than the queue of connections that a server has not accepted yet. */
const AT_ONCE = 100;

/** Open requests without a complete response, each on a separate connection. */
export class HeldSockets {
  readonly #sockets: Socket[] = [];

  /** Opens requests. @param isHeld whether the received part of a response shows that the request is held */
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
