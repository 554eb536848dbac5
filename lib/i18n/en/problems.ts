import type { NetworkErrorReason } from "@/lib/api/request.ts";
import type { ErrorCode } from "@/lib/contract/error.ts";
import type { FilterError } from "@/lib/query/filter.ts";

/** Translations of problems. The console shows the server's English `detail` below the translation. */
export interface ProblemMessages {
  /** Title and remedy that the operator sees, by problem code. */
  ofCode: Record<ErrorCode, { title: string; remedy: string }>;
  /** Messages for requests without a usable response, by reason. */
  ofNoResponse: Record<Exclude<NetworkErrorReason, "status">, string> & {
    status: (status: number) => string;
  };
}

/** The messages for failed and refused requests, and for invalid filters. */
export const problems = {
  namespace: "problems" as const,
  /** Translations of problems; `null` to show the server's messages, which contain the details of each case. */
  translations: null as ProblemMessages | null,
  /** Error messages for a filter comparison with an invalid value, by the expected kind of value. */
  comparison: {
    number: (field: string) => `${field} must be a whole number`,
    time: (field: string) => `${field} must be a duration such as 500ms, 30s, 5m, 2h or 1d`,
    time_or_typical: (field: string) =>
      `${field} must be “typical” or a duration such as 500ms, 30s, 5m, 2h or 1d`,
  } satisfies Record<FilterError["expected"], (field: string) => string>,
};
