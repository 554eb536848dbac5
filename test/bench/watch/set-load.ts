import { connect, type Socket } from "node:net";

/** Number of commands in one batch. The next batch is sent once all replies have arrived. */
const IN_FLIGHT = 64;
const NAMES = 10_000;
const OK = "+OK\r\n";

/**
 * A minimal client that sets keys on one connection. The commands are prepared as text, so that Redis is the bottleneck
 * and not the client.
 */
export class SetLoad {
  readonly #packets: readonly string[];
  #missing = 0;
  #onAnswered: () => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    prefix: string,
  ) {
    this.#packets = createPackets(prefix);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#missing -= text.length;
      if (this.#missing === 0) this.#onAnswered();
    });
  }

  /**
   * Opens the connection.
   *
   * @param prefix prefix of the keys that are set
   */
  static async open(port: number, prefix: string): Promise<SetLoad> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new SetLoad(socket, prefix);
  }

  /**
   * Sets keys for `forMs`.
   *
   * @returns the number of keys that were set
   */
  async run(forMs: number): Promise<number> {
    const endAt = performance.now() + forMs;
    let sets = 0;
    for (let at = 0; performance.now() < endAt; at++) {
      await this.#send(this.#packets[at % this.#packets.length] ?? "");
      sets += IN_FLIGHT;
    }
    return sets;
  }

  close(): void {
    this.socket.destroy();
  }

  #send(packet: string): Promise<void> {
    this.#missing += IN_FLIGHT * OK.length;
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
      this.socket.write(packet, "latin1");
    });
  }
}

function createPackets(prefix: string): string[] {
  return Array.from({ length: Math.floor(NAMES / IN_FLIGHT) }, (_, packet) =>
    Array.from({ length: IN_FLIGHT }, (_, at) => formatSet(prefix, packet * IN_FLIGHT + at)).join(""),
  );
}

/** Formats the SET that acquires a lock whose value is a token, without NX. */
function formatSet(prefix: string, at: number): string {
  const name = String(at).padStart(7, "0");
  const words = ["SET", `${prefix}${name}`, `c5b7e1f04d2a49d6b3a7${name}`, "PX", "60000"];
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;
}
