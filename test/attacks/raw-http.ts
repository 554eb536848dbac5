import { connect } from "node:net";

export interface RawResponse {
  /** The status; 0 if the connection was closed without a response. */
  readonly status: number;
  readonly text: string;
}

/** Sends bytes unchanged over a separate connection, and reads until it is closed. */
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
    // A reset after the response is a normal end.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
    socket.write(bytes);
  });
}

/** Formats a request head with these lines. */
export function formatRequestHead(...each: readonly string[]): string {
  return `${each.join("\r\n")}\r\n\r\n`;
}
