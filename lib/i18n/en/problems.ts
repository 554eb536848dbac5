import type { NetworkErrorReason } from "@/lib/api/request.ts";
import type { ErrorCode } from "@/lib/contract/error.ts";
import type { FilterError } from "@/lib/query/filter.ts";

/** The translations of problems. The console shows the server's English `detail` below them. */
export interface ProblemMessages {
  /** The cause, and what the operator can do about it. */
  ofCode: Record<ErrorCode, { title: string; remedy: string }>;
  /** Requests without a usable response. `status` is the HTTP status. */
  ofNoResponse: Record<Exclude<NetworkErrorReason, "status">, string> & {
    status: (status: number) => string;
  };
}

/** The messages for requests that failed or were refused. */
export const problems = {
  namespace: "problems" as const,
  /** `null` to show the server's messages, which contain the details of the case. */
  translations: null as ProblemMessages | null,
  /** The values that a search field accepts. */
  comparison: {
    number: (field: string) => `${field} must be a whole number`,
    time: (field: string) => `${field} must be a duration such as 500ms, 30s, 5m, 2h or 1d`,
    time_or_typical: (field: string) =>
      `${field} must be “typical” or a duration such as 500ms, 30s, 5m, 2h or 1d`,
  } satisfies Record<FilterError["expected"], (field: string) => string>,
};
