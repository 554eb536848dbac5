import { connect } from "node:net";

export interface RawResponse {
  /** The HTTP status; 0 if the connection was closed without a response. */
  readonly status: number;
  readonly text: string;
}

/**
 * Sends bytes unchanged over a new connection and reads until the connection is closed.
 *
 * @param withinMs time without data after which the promise is rejected
 */
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
    // The server may reset the connection after it has sent the response.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
    socket.write(bytes);
  });
}

/** Formats a request head without a body from a request line and header lines. */
export function formatRequestHead(...each: readonly string[]): string {
  return `${each.join("\r\n")}\r\n\r\n`;
}
