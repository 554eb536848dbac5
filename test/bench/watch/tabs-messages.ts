/** Messages to and from the process that keeps tabs open. */

/** The content of one tab. */
export interface TabView {
  /** Query of `GET /live`. */
  readonly query: string;
  /** A lock on its screen whose count is reported as it arrives. */
  readonly probe?: string;
}

export type TabsRequest =
  /** Opens additional tabs. The response is sent when each has its first snapshot. */
  { readonly do: "open"; readonly views: readonly TabView[] } | { readonly do: "close" | "report" };

export type TabsResponse =
  | {
      readonly is: "report";
      readonly open: number;
      /** Bytes received by all tabs since the last report. */
      readonly bytes: number;
      readonly messages: number;
      readonly cpuMicros: number;
    }
  /** The row of a tab's probe has arrived. */
  | { readonly is: "seen"; readonly probe: string; readonly count: number; readonly at: number };
