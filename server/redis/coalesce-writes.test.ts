import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { coalesceWrites } from "./coalesce-writes.ts";

/** A stream whose packets are kept as they were written. */
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

describe("writes of one turn of the event loop", () => {
  it("go out as one packet when the turn ends, also those of its promises and ticks", async () => {
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

  it("go out at once when there is enough for a packet", () => {
    const { stream, packets } = coalesced();
    stream.write("x".repeat(1500));
    stream.write("y".repeat(1500));
    expect(packets).toEqual(["x".repeat(1500) + "y".repeat(1500)]);
  });

  it("keep their order beside bytes, which are not held back", async () => {
    const { stream, packets } = coalesced();
    stream.write("a");
    stream.write(Buffer.from("b"));
    stream.write("c");
    expect(packets).toEqual(["a", "b"]);
    await turn();
    expect(packets).toEqual(["a", "b", "c"]);
  });

  it("are not lost when the stream is ended in the same turn", async () => {
    const { stream, packets } = coalesced();
    stream.write("QUIT");
    stream.end();
    expect(packets).toEqual(["QUIT"]);
    await turn();
    expect(String(stream.read())).toBe("QUIT");
  });
});
