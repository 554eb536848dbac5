import { createBearerHeader, ROOT_KEY, type TestServer } from "./test-server.ts";

export interface StreamMessage {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  readonly data: any;
}

/** An open event stream of the API, read in the background. */
export class TestStream {
  /** The text received so far. */
  text = "";
  readonly messages: StreamMessage[] = [];
  /** Resolves when the stream has ended, for any reason. */
  readonly ended: Promise<void>;
  #rest = "";

  private constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.ended = this.#read().catch(() => undefined);
  }

  static async open(
    server: TestServer,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<TestStream> {
    const controller = new AbortController();
    const response = await server.fetch(path, { headers, signal: controller.signal });
    return new TestStream(response, controller);
  }

  readonly leave = (): void => this.controller.abort();

  async #read(): Promise<void> {
    for await (const chunk of decodeStream(this.response.body)) {
      this.text += chunk;
      const blocks = (this.#rest + chunk).split("\n\n");
      this.#rest = blocks.pop() ?? "";
      this.messages.push(...blocks.flatMap(parseMessage));
    }
  }
}

/**
 * Reads a stream until its text satisfies the check, and then closes the stream.
 *
 * @throws if the stream ends before that
 */
export async function readStreamUntil(
  server: TestServer,
  path: string,
  passes: (text: string) => boolean | Promise<boolean>,
  headers: Record<string, string> = {},
): Promise<string> {
  const controller = new AbortController();
  const response = await server.fetch(path, { headers, signal: controller.signal });
  let text = "";
  try {
    for await (const chunk of decodeStream(response.body)) {
      text += chunk;
      if (await passes(text)) return text;
    }
  } finally {
    controller.abort();
  }
  throw new Error(`The stream ended with ${text}`);
}

/** Returns the number of open streams according to the server's metrics. */
export async function countOpenStreams(server: TestServer): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: createBearerHeader(ROOT_KEY) });
  return Number(/lockkeeper_streams_open (\d+)/.exec(await response.text())?.[1]);
}

async function* decodeStream(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
}

/** Parses a block of the stream. Returns no message for comments, which only keep the connection open. */
function parseMessage(block: string): StreamMessage[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const event = field("event");
  return event === undefined ? [] : [{ event, id: field("id"), data: JSON.parse(field("data") ?? "null") }];
}
