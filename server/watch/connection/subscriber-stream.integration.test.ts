import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { openMasters } from "../../redis/masters/open-masters.ts";
import { KeyspaceSubscriber } from "./keyspace-subscriber.ts";

const it = redisTest({ args: ["--notify-keyspace-events", "Kghszxe$"] })
  .extend("subscriber", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const masters = openMasters(redis.url);
    onCleanup(() => masters.close());
    const subscriber = masters.list[0]?.subscriber;
    if (subscriber === undefined) throw new Error("No master");
    await waitUntil(() => subscriber.status === "ready");
    return subscriber;
  })
  .extend("received", { scope: "file" }, async ({ subscriber }) => {
    const received: string[][] = [[], []];
    for (const messages of received) {
      const keyspace = new KeyspaceSubscriber(subscriber, 0, ["lock:*"], {
        onKeyChange: (key, event) => void messages.push(`${event} ${key}`),
        onScriptEvent: ({ type, key }) => void messages.push(`${type} ${key}`),
        onVerbEvent: () => false,
        onOversizedKey: () => undefined,
        onInvalidScriptEvent: () => void messages.push("invalid"),
      });
      await keyspace.subscribe();
    }
    return received;
  });

it("every subscriber on a connection receives each message, and other replies reach ioredis", async ({
  subscriber,
  received,
  direct,
  key,
}) => {
  const other = new Promise((resolve) =>
    subscriber.once("messageBuffer", (_, body) => resolve(String(body))),
  );
  await subscriber.subscribe("other");
  await direct.set(key, "x");
  await direct.publish("lockkeeper:events:0", "nonsense");
  await direct.publish("other", "body");
  expect([await other, await subscriber.ping("now")]).toEqual(["body", expect.anything()]);
  await waitUntil(() => received.every((messages) => messages.length >= 2));
  // Events of one turn are reported before notifications of the same turn.
  for (const messages of received) expect(messages.splice(0).toSorted()).toEqual(["invalid", `set ${key}`]);
});

it("messages are received on the next connection", async ({ subscriber, received, direct, key }) => {
  await waitUntil(() => received.length === 2);
  const closed = new Promise((resolve) => subscriber.once("close", resolve));
  await direct.call("CLIENT", "KILL", "TYPE", "pubsub");
  await closed;
  await waitUntil(() => subscriber.status === "ready");
  await subscriber.psubscribe("__keyspace@0__:lock:*");
  await direct.set(key, "x");
  await waitUntil(() => received.every((messages) => messages.includes(`set ${key}`)));
  for (const messages of received) expect(messages.filter((one) => one === `set ${key}`)).toHaveLength(1);
});
