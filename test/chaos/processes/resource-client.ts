import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

export interface ResourceRequest {
  readonly id: number;
  readonly ask: "read" | "write";
  readonly lock: string;
  readonly fence: string | null;
  readonly value?: string;
  /** 1 puts an item into the buffer, and -1 takes one out. */
  readonly by?: 1 | -1;
  /** Versions of the registers that were read before the write. */
  readonly bases?: { readonly unfenced: number; readonly fenced: number };
}

export interface ResourceReply {
  readonly id: number;
  readonly unfenced: number;
  /**
   * Version of the fenced register. `null` if the request was refused because the register has already accepted a
   * higher fence.
   */
  readonly fenced: number | null;
  /** Number of items in the buffer. */
  readonly size: number;
}

/** A connection to the protected resource. */
export class ResourceClient {
  readonly #waiting = new Map<number, (reply: ResourceReply) => void>();
  #id = 0;

  private constructor(private readonly socket: Socket) {
    createInterface({ input: socket }).on("line", (line) => {
      const reply = JSON.parse(line) as ResourceReply;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
  }

  static async open(port: number): Promise<ResourceClient> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.setNoDelay(true);
    return new ResourceClient(socket);
  }

  ask(ask: Omit<ResourceRequest, "id">): Promise<ResourceReply> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.write(`${JSON.stringify({ id, ...ask })}\n`);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
