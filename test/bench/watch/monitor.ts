import { connect, type Socket } from "node:net";

/** One command that MONITOR reported. */
export interface Monitored {
  /** Address of the connection that sent it, `host:port`; `lua` for a command that a script called. */
  readonly source: string;
  /** In lower case. */
  readonly command: string;
}

const LINE = /^\+\d+\.\d+ \[\d+ (\S+)\] "([^"]*)"/;

/** Parses one line of MONITOR; undefined for anything else. */
export function parseMonitorLine(line: string): Monitored | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [, source = "", command = ""] = match;
  return { source, command: command.toLowerCase() };
}

/** Splits a stream into lines without `\r\n`, regardless of the boundaries of its chunks. */
export class LineSplitter {
  #rest = "";

  push(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split("\r\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }
}

/**
 * MONITOR on a separate socket. The monitor of ioredis 6 changes its mode one turn after the `OK`: a command that Redis
 * reports in the same packet finds an empty command queue and fails with "Command queue state error".
 */
export class Monitor {
  readonly #splitter = new LineSplitter();
  #fail: (error: Error) => void = () => undefined;
  /** Rejected when the connection ends before `close()`. */
  readonly broken = new Promise<never>((_, reject) => {
    this.#fail = reject;
  });

  private constructor(private readonly socket: Socket) {
    this.broken.catch(() => undefined);
    socket.setEncoding("latin1");
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("Redis closed the MONITOR connection")));
  }

  /** Resolves when Redis has begun to report. */
  static async open(
    { host, port }: { readonly host: string; readonly port: number },
    onCommand: (monitored: Monitored) => void,
  ): Promise<Monitor> {
    const monitor = new Monitor(connect({ host, port }));
    const started = new Promise<void>((resolve) => {
      monitor.socket.on("data", (chunk: string) => monitor.#read(chunk, resolve, onCommand));
    });
    monitor.socket.write("MONITOR\r\n");
    await Promise.race([started, monitor.broken]);
    return monitor;
  }

  close(): void {
    this.socket.destroy();
  }

  #read(chunk: string, onStart: () => void, onCommand: (monitored: Monitored) => void): void {
    for (const line of this.#splitter.push(chunk)) {
      if (line === "+OK") onStart();
      else if (line.startsWith("-")) this.#fail(new Error(`MONITOR: ${line.slice(1)}`));
      else {
        const monitored = parseMonitorLine(line);
        if (monitored !== undefined) onCommand(monitored);
      }
    }
  }
}
