/** What the process that keeps tabs open is told, and what it says. */

/** What one tab looks at. */
export interface TabView {
  /** Query of `GET /live`. */
  readonly query: string;
  /** A lock on its screen whose count is told as it arrives. */
  readonly probe?: string;
}

export type TabsRequest =
  /** Opens as many more; answered when each has its first picture. */
  { readonly do: "open"; readonly views: readonly TabView[] } | { readonly do: "close" | "report" };

export type TabsResponse =
  | {
      readonly is: "report";
      readonly open: number;
      /** Of all tabs since the last report. */
      readonly bytes: number;
      readonly messages: number;
      readonly cpuMicros: number;
    }
  /** A tab's row of its probe has arrived. */
  | { readonly is: "seen"; readonly probe: string; readonly count: number; readonly at: number };
