import { connect } from "node:net";

export interface RawResponse {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
}

/** Sends bytes as they are over a connection of their own, and takes all that comes until it is closed. */
export function sendRawHttp(url: string, bytes: string | Buffer, withinMs = 5000): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setTimeout(withinMs, () => {
      reject(new Error(`No end within ${withinMs} ms:\n${text.slice(0, 500)}`));
      socket.destroy();
    });
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    // A reset after the answer is an end like any other.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
    socket.write(bytes);
  });
}

/** A request of these lines, with what ends them. */
export function formatRequestHead(...each: readonly string[]): string {
  return `${each.join("\r\n")}\r\n\r\n`;
}
