import { expect, it } from "vitest";
import type { Sink } from "./http-exchange.ts";
import { Lines } from "./line-stream.ts";
import { OpenStreams } from "./sse.ts";

interface Written extends Sink {
  text: string;
  state: "open" | "ended" | "closed";
}

function written(): Written {
  return {
    text: "",
    state: "open",
    write(text) {
      this.text += text;
    },
    close() {
      this.state = "closed";
    },
    end() {
      this.state = "ended";
    },
    waiting: 0,
    onClose: () => undefined,
  };
}

it("an export cut short by a stopping server states that it is incomplete", async () => {
  const sink = written();
  const streams = new OpenStreams();
  const lines = new Lines(sink);
  streams.guard(lines.stream, "root", async () => true, "");
  async function* chunks() {
    yield "one\n";
    streams.closeAll();
    yield "two\n";
  }
  await lines.writeAll(chunks());
  expect([sink.text, sink.state]).toEqual([
    "one\nThis export ended early: the server is stopping, or you may not read it any more.\n",
    "ended",
  ]);
});

it("an export that cannot be read to its end states so, and a complete one adds nothing", async () => {
  const cut = written();
  async function* failing() {
    yield "one\n";
    throw new Error("away");
  }
  await new Lines(cut).writeAll(failing());
  expect(cut.text).toBe("one\nThis export ended early: the home store did not answer.\n");
  const whole = written();
  async function* chunks() {
    yield "one\n";
    yield "two\n";
  }
  await new Lines(whole).writeAll(chunks());
  expect([whole.text, whole.state]).toEqual(["one\ntwo\n", "ended"]);
});
