import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScriptEvent } from "./script-event.ts";
import { VerbNotifications } from "./verb-notifications.ts";

const createEvent = (key: string, type: ScriptEvent["type"], count: number): ScriptEvent => ({
  ...{ key, type, count, at: 1, fence: "7", seq: 1, heldMs: undefined, owner: "me" },
  by: undefined,
  reason: undefined,
});

type Message = string | ScriptEvent;
const formatMessage = (message: Message) =>
  typeof message === "string" ? message : `${message.key} ${message.type}!`;

/**
 * Returns one string for each call of the listener. A script event ends with `?` if its notifications matched, and with
 * `!` otherwise.
 */
function receive(messages: readonly Message[], explains = true): string[] {
  const received: string[] = [];
  const notifications = new VerbNotifications({
    onKeyChange: (key, event) => received.push(`${key} ${event}`),
    onScriptEvent: (event) => received.push(formatMessage(event)),
    onVerbEvent: ({ key, type }) => {
      if (explains) received.push(`${key} ${type}?`);
      return explains;
    },
  });
  for (const message of messages) {
    if (typeof message !== "string") notifications.recordScriptEvent(message);
    else notifications.recordKeyChange(...(message.split(" ") as [string, string]));
  }
  notifications.flush();
  return received;
}

const acquired = createEvent("a", "acquired", 1);
const released = createEvent("a", "released", 0);

describe("verb notifications", () => {
  it.each([
    ["an acquired hash lock", ["a hset", "a expire", acquired], ["a acquired?"]],
    ["an acquired string lock", ["a set", "a expire", acquired], ["a acquired?"]],
    ["a released hash lock", ["a hdel", "a del", released], ["a released?"]],
    ["a released string lock", ["a del", released], ["a released?"]],
    ["a lock without a TTL", ["a set", acquired], ["a set", "a acquired!"]],
    ["a hash with another field", ["a hdel", released], ["a hdel", "a released!"]],
    ["another client's change before", ["a set", "a del", released], ["a set", "a released?"]],
    ["a change to another key between", ["a del", "b del", released], ["a del", "b del", "a released!"]],
    ["one of several counts", ["a del", createEvent("a", "released", 1)], ["a del", "a released!"]],
    ["an event of an older script", ["a del", released, released], ["a released?", "a released!"]],
  ] as const)("%s", (_, messages, expected) => {
    expect(receive(messages)).toEqual(expected);
  });

  const message = fc.oneof(
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom("set", "hset", "expire", "hdel", "del"))
      .map(([key, event]): Message => `${key} ${event}`),
    fc
      .tuple(fc.constantFrom("a", "b"), fc.constantFrom("acquired", "released", "renewed"), fc.nat(1))
      .map(([key, type, count]): Message => createEvent(key, type as ScriptEvent["type"], count)),
  );

  it("without an explanation, every message is reported once, in order", () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        expect(receive(messages, false)).toEqual(messages.map(formatMessage));
      }),
    );
  });

  it("an explanation hides at most the two notifications for the same key before it", () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const received = receive(messages).flatMap((text) => {
          if (!text.endsWith("?")) return [text];
          const [key = "", type = ""] = text.slice(0, -1).split(" ");
          return [`hidden ${key} ${type}`];
        });
        let at = 0;
        for (const text of received) {
          if (!text.startsWith("hidden")) {
            expect(formatMessage(messages[at++] ?? "")).toBe(text);
            continue;
          }
          const [, key, type] = text.split(" ");
          const event = `${key} ${type}!`;
          const hidden: string[] = [];
          while (formatMessage(messages[at] ?? event) !== event)
            hidden.push(formatMessage(messages[at++] ?? ""));
          at++;
          const sent =
            type === "acquired"
              ? [`${key} hset`, `${key} set`, `${key} expire`]
              : [`${key} hdel`, `${key} del`];
          expect(hidden.length).toBeGreaterThan(0);
          expect(hidden.length).toBeLessThan(3);
          for (const each of hidden) expect(sent).toContain(each);
        }
        expect(at).toBe(messages.length);
      }),
    );
  });
});
