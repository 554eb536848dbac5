import { expect, it } from "vitest";
import type { ResponseSink } from "./http-exchange.ts";
import { LineStream } from "./line-stream.ts";
import { OpenStreams } from "./sse.ts";

interface RecordedSink extends ResponseSink {
  text: string;
  state: "open" | "ended" | "closed";
}

function createRecordedSink(): RecordedSink {
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
    bufferedBytes: 0,
    onClose: () => undefined,
  };
}

it("an export cut short by a stopping server states that it is incomplete", async () => {
  const sink = createRecordedSink();
  const streams = new OpenStreams();
  const lines = new LineStream(sink);
  streams.register(lines.guardedSink, "root", async () => true, "");
  async function* chunks() {
    yield "one\n";
    streams.closeAll();
    yield "two\n";
  }
  await lines.writeChunks(chunks());
  expect([sink.text, sink.state]).toEqual([
    "one\nThis export ended early: the server is stopping, or your access was revoked.\n",
    "ended",
  ]);
});

it("an export that cannot be read to its end states so, and a complete one adds nothing", async () => {
  const cut = createRecordedSink();
  async function* failing() {
    yield "one\n";
    throw new Error("away");
  }
  await new LineStream(cut).writeChunks(failing());
  expect(cut.text).toBe("one\nThis export ended early: the home store did not respond.\n");
  const whole = createRecordedSink();
  async function* chunks() {
    yield "one\n";
    yield "two\n";
  }
  await new LineStream(whole).writeChunks(chunks());
  expect([whole.text, whole.state]).toEqual(["one\ntwo\n", "ended"]);
});
