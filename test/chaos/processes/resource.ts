/**
 * Runs the protected resource. For each lock, it has an unfenced register that accepts every write and a fenced
 * register that checks the fence. A write that the fenced register accepts may also put an item into a buffer or take
 * one out.
 */
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Journal } from "../history/journal.ts";
import type { ResourceReply, ResourceRequest } from "./resource-client.ts";

const [path = "", epochNs = "0"] = process.argv.slice(2);
const journal = new Journal(path, epochNs, "resource");

class Registers {
  #unfenced = 0;
  #fenced = 0;
  #highest = 0n;
  #size = 0;

  handleRequest({ ask, lock, fence, value, bases, by }: ResourceRequest): Omit<ResourceReply, "id"> {
    const isCurrent = fence !== null && BigInt(fence) >= this.#highest;
    // The fence of a read also counts. Otherwise, a late write with a lower fence could be accepted between a read and
    // the write that is based on it, and would be lost.
    if (isCurrent) this.#highest = BigInt(fence);
    if (ask === "write") {
      const base = bases?.unfenced ?? 0;
      const written = {
        op: "accept",
        type: "ok",
        lock,
        fence,
        ...(value === undefined ? {} : { value }),
      } as const;
      journal.write({ ...written, register: "unfenced", base, version: ++this.#unfenced });
      if (isCurrent) {
        this.#size += by ?? 0;
        const filled = by === undefined ? {} : { count: this.#size };
        const base = bases?.fenced ?? 0;
        journal.write({ ...written, register: "fenced", base, version: ++this.#fenced, ...filled });
      }
    }
    return { unfenced: this.#unfenced, fenced: isCurrent ? this.#fenced : null, size: this.#size };
  }
}

const registers = new Map<string, Registers>();

function serveSocket(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  const lines = createInterface({ input: socket });
  // The readline interface emits the errors of its socket again.
  lines.on("error", () => socket.destroy());
  lines.on("line", (line) => {
    const ask = JSON.parse(line) as ResourceRequest;
    const register = registers.get(ask.lock) ?? new Registers();
    registers.set(ask.lock, register);
    const reply: ResourceReply = { id: ask.id, ...register.handleRequest(ask) };
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
  });
}

const server = createServer(serveSocket);
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit(0));
