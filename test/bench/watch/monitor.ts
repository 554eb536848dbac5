import { connect, type Socket } from "node:net";

/** A command that MONITOR reports. */
export interface Monitored {
  /** Address of the connection that sent the command, as `host:port`. `lua` for a command that a script called. */
  readonly source: string;
  /** Name of the command in lower case. */
  readonly command: string;
}

const LINE = /^\+\d+\.\d+ \[\d+ (\S+)\] "([^"]*)"/;

/** Parses one line of MONITOR's output. Undefined if the line is not a command. */
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
 * A MONITOR connection on a plain socket. ioredis 6 cannot be used: it switches to monitor mode one turn of the event
 * loop after the `OK`, so a command in the same packet fails with "Command queue state error".
 */
export class Monitor {
  readonly #splitter = new LineSplitter();
  #fail: (error: Error) => void = () => undefined;
  /** Rejects if the connection is closed before `close()`. */
  readonly broken = new Promise<never>((_, reject) => {
    this.#fail = reject;
  });

  private constructor(private readonly socket: Socket) {
    this.broken.catch(() => undefined);
    socket.setEncoding("latin1");
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("Redis closed the MONITOR connection")));
  }

  /** Opens a connection and resolves once Redis has confirmed MONITOR. */
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
