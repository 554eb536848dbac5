import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { QuorumSubscriber } from "./quorum-subscriber.ts";

const CHANNEL = Buffer.from("wake:lock:a");

/** A fake connection to one master, with the members that the subscriber uses. */
class FakeSubscriber extends EventEmitter {
  #answer: { resolve: () => void; reject: (error: Error) => void } | undefined;

  subscribe(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
    });
  }

  async unsubscribe(): Promise<void> {}

  says = () => this.#answer?.resolve();
  fails = () => this.#answer?.reject(new Error("no answer"));
  tells = (channel = CHANNEL, message = "0") => this.emit("messageBuffer", channel, Buffer.from(message));
}

function collectMessages(count: number) {
  const lines = Array.from({ length: count }, () => new FakeSubscriber());
  const subscriber = new QuorumSubscriber(lines);
  const heard = vi.fn();
  subscriber.on("messageBuffer", heard);
  const line = (at: number) => lines[at] ?? new FakeSubscriber();
  return { subscriber, heard, line };
}

describe("quorum wake-ups", () => {
  it("a wake-up is passed on once when a majority of masters has sent it", () => {
    const { subscriber, heard, line } = collectMessages(5);
    void subscriber.subscribe(CHANNEL);
    line(0).tells();
    line(3).tells();
    expect(heard).not.toHaveBeenCalled();
    line(1).tells();
    expect(heard.mock.calls).toEqual([[CHANNEL, Buffer.from("0")]]);
    line(2).tells();
    line(4).tells();
    expect(heard).toHaveBeenCalledOnce();
  });

  it("a wake-up sent by a minority is never passed on, however often it repeats", () => {
    const { subscriber, heard, line } = collectMessages(5);
    void subscriber.subscribe(CHANNEL);
    for (let time = 0; time < 20; time++) {
      line(0).tells();
      line(1).tells();
    }
    expect(heard).not.toHaveBeenCalled();
  });

  it("wake-ups are counted separately per channel", () => {
    const { subscriber, heard, line } = collectMessages(3);
    void subscriber.subscribe(CHANNEL);
    line(0).tells();
    line(1).tells(Buffer.from("wake:lock:b"));
    line(2).tells(Buffer.from("wake:lock:b"));
    expect(heard).not.toHaveBeenCalled();
  });

  it("a wake-up is not passed on after unsubscribing", async () => {
    const { subscriber, heard, line } = collectMessages(3);
    void subscriber.subscribe(CHANNEL);
    line(0).tells();
    await subscriber.unsubscribe(CHANNEL);
    line(1).tells();
    line(2).tells();
    expect(heard).not.toHaveBeenCalled();
  });
});

describe("quorum subscriptions", () => {
  it("a subscription succeeds with a majority of masters and fails when none is possible", async () => {
    const { subscriber, line } = collectMessages(3);
    const stands = subscriber.subscribe(CHANNEL);
    line(0).fails();
    line(1).says();
    line(2).says();
    await stands;
    const fails = subscriber.subscribe(CHANNEL);
    line(0).says();
    line(1).fails();
    line(2).fails();
    await expect(fails).rejects.toThrow("no answer");
  });

  it("a reconnected master makes the subscriber emit ready", () => {
    const { subscriber, line } = collectMessages(3);
    const back = vi.fn();
    subscriber.on("ready", back);
    line(2).emit("ready");
    expect(back).toHaveBeenCalledOnce();
  });
});
