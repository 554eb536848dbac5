import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { startChild } from "../child.ts";
import type { Run } from "../figure.ts";
import type { Target } from "../http/dialects.ts";
import type { TabsRequest, TabsResponse, TabView } from "./tabs-messages.ts";

type Report = Extract<TabsResponse, { is: "report" }>;
type Seen = Extract<TabsResponse, { is: "seen" }>;

/** Controls the child process that keeps tabs open. */
export class Tabs {
  onSeen: (seen: Seen) => void = () => undefined;
  readonly #reports: ((report: Report) => void)[] = [];
  readonly #ended: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.#ended = once(child, "exit").then(([code]) => {
      throw new Error(`tabs.ts ended with exit code ${code}`);
    });
    this.#ended.catch(() => undefined);
    child.on("message", (says: TabsResponse) => {
      if (says.is === "seen") this.onSeen(says);
      else this.#reports.shift()?.(says);
    });
  }

  static async start(run: Run, { port, secret }: Target): Promise<Tabs> {
    return new Tabs(await startChild(run, "tabs.ts", [String(port), secret]));
  }

  /** Opens additional tabs and resolves when each has its first snapshot. */
  async open(views: readonly TabView[]): Promise<void> {
    await this.#ask({ do: "open", views });
  }

  async close(): Promise<void> {
    await this.#ask({ do: "close" });
  }

  /** Returns the numbers of bytes and messages that have arrived since the last report. */
  async report(): Promise<Report> {
    return await this.#ask({ do: "report" });
  }

  async #ask(words: TabsRequest): Promise<Report> {
    const answered = new Promise<Report>((resolve) => this.#reports.push(resolve));
    this.child.send(words);
    return await Promise.race([answered, this.#ended]);
  }
}
