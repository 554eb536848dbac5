/** Messages to and from the process that keeps tabs open. */

/** The view that one tab shows. */
export interface TabView {
  /** Query string of `GET /live`. */
  readonly query: string;
  /** Key of a lock that is visible in the tab. Each row with a higher count is reported as `seen`. */
  readonly probe?: string;
}

export type TabsRequest =
  /** `open` opens additional tabs and is answered once each has its first snapshot. `close` closes all tabs. */
  { readonly do: "open"; readonly views: readonly TabView[] } | { readonly do: "close" | "report" };

export type TabsResponse =
  | {
      readonly is: "report";
      readonly open: number;
      /** Bytes that all tabs have received since the last report. `messages` counts since then as well. */
      readonly bytes: number;
      readonly messages: number;
      readonly cpuMicros: number;
    }
  /** A tab has received the row of its probe with a higher count. `at` is in ms on the clock of `getMonotonicMs`. */
  | { readonly is: "seen"; readonly probe: string; readonly count: number; readonly at: number };
