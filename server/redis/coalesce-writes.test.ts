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
  it("the first write of an event-loop turn is sent immediately, and the others as one packet", async () => {
    const { stream, packets } = coalesced();
    stream.write("a");
    expect(packets).toEqual(["a"]);
    stream.write("b");
    await Promise.resolve();
    stream.write("c");
    await new Promise((resolve) => process.nextTick(resolve));
    stream.write("d");
    expect(packets).toEqual(["a"]);
    await turn();
    expect(packets).toEqual(["a", "bcd"]);
    stream.write("e");
    expect(packets).toEqual(["a", "bcd", "e"]);
  });

  it("writes are sent at once when they fill a packet", () => {
    const { stream, packets } = coalesced();
    stream.write("first");
    stream.write("x".repeat(1500));
    stream.write("y".repeat(1500));
    expect(packets).toEqual(["first", "x".repeat(1500) + "y".repeat(1500)]);
  });

  it("string writes keep their order relative to unbuffered binary writes", async () => {
    const { stream, packets } = coalesced();
    stream.write("first");
    stream.write("a");
    stream.write(Buffer.from("b"));
    stream.write("c");
    expect(packets).toEqual(["first", "a", "b"]);
    await turn();
    expect(packets).toEqual(["first", "a", "b", "c"]);
  });

  it("pending writes are not lost when the stream ends in the same turn", async () => {
    const { stream, packets } = coalesced();
    stream.write("PING ");
    stream.write("QUIT");
    stream.end();
    expect(packets).toEqual(["PING ", "QUIT"]);
    await turn();
    expect(String(stream.read())).toBe("PING QUIT");
  });
});
