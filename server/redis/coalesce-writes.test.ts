import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { coalesceWrites } from "./coalesce-writes.ts";

/** Creates a stream that records its packets. */
function coalesced() {
  const stream = new PassThrough();
  const packets: string[] = [];
  const write = stream.write.bind(stream);
  Object.assign(stream, {
    write: (...given: Parameters<typeof write>) => {
      packets.push(String(given[0]));
      return write(...given);
    },
  });
  coalesceWrites(stream as unknown as Parameters<typeof coalesceWrites>[0]);
  return { stream, packets };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("write coalescing", () => {
  it("writes of one event-loop turn, including promises and ticks, are sent as one packet", async () => {
    const { stream, packets } = coalesced();
    stream.write("a");
    await Promise.resolve();
    stream.write("b");
    await new Promise((resolve) => process.nextTick(resolve));
    stream.write("c");
    expect(packets).toEqual([]);
    await turn();
    expect(packets).toEqual(["abc"]);
    stream.write("d");
    await turn();
    expect(packets).toEqual(["abc", "d"]);
  });

  it("writes are sent at once when they fill a packet", () => {
    const { stream, packets } = coalesced();
    stream.write("x".repeat(1500));
    stream.write("y".repeat(1500));
    expect(packets).toEqual(["x".repeat(1500) + "y".repeat(1500)]);
  });

  it("string writes keep their order relative to unbuffered binary writes", async () => {
    const { stream, packets } = coalesced();
    stream.write("a");
    stream.write(Buffer.from("b"));
    stream.write("c");
    expect(packets).toEqual(["a", "b"]);
    await turn();
    expect(packets).toEqual(["a", "b", "c"]);
  });

  it("pending writes are not lost when the stream ends in the same turn", async () => {
    const { stream, packets } = coalesced();
    stream.write("QUIT");
    stream.end();
    expect(packets).toEqual(["QUIT"]);
    await turn();
    expect(String(stream.read())).toBe("QUIT");
  });
});
