import { get, type IncomingMessage } from "node:http";
import type { Run } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";

/** Reads the event stream `GET /events` and records when events arrive. */
export interface EventReader {
  /** Returns the arrival time of the first event of a type for each key, in Unix milliseconds. */
  getTimes(type: string): ReadonlyMap<string, number>;
  /**
   * Resolves when events of a type have arrived for `count` keys.
   *
   * @throws if no event of the type arrives for another key within `lostMs`
   */
  waitForKeys(type: string, count: number, lostMs: number): Promise<void>;
}

/** Opens the event stream of a server and resolves once the response has begun. */
export async function openEventReader(
  run: Run,
  { target: { port, secret } }: Pick<NodeContender, "target">,
): Promise<EventReader> {
  const timesByType = new Map<string, Map<string, number>>();
  let onEvent: () => void = () => undefined;
  const request = get(`http://127.0.0.1:${port}/api/v1/events`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  run.defer(() => request.destroy());
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request.once("response", resolve).on("error", reject),
  );
  const getTimes = (type: string) => {
    const known = timesByType.get(type) ?? new Map<string, number>();
    timesByType.set(type, known);
    return known;
  };
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const now = Date.now();
    const messages = (text + chunk).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const type = /^event: (.*)$/m.exec(message)?.[1];
      const key: unknown = JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? "{}").key;
      if (type === undefined || typeof key !== "string" || getTimes(type).has(key)) continue;
      getTimes(type).set(key, now);
    }
    onEvent();
  });
  const waitForKeys = (type: string, count: number, lostMs: number) =>
    new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`${getTimes(type).size} of ${count} keys had \`${type}\` events`));
      let timer = setTimeout(fail, lostMs);
      let seen = 0;
      onEvent = () => {
        const { size } = getTimes(type);
        if (size === seen && size < count) return;
        seen = size;
        clearTimeout(timer);
        if (size >= count) resolve();
        else timer = setTimeout(fail, lostMs);
      };
      onEvent();
    });
  return { getTimes, waitForKeys };
}
