import type { NetworkErrorReason } from "@/lib/api/request.ts";
import type { ErrorCode } from "@/lib/contract/error.ts";
import type { FilterError } from "@/lib/query/filter.ts";

/** What a language says of a refusal; the server's own sentence, in English, stands below it. */
export interface ProblemMessages {
  /** What is wrong, and what whoever is at the console does about it. */
  ofCode: Record<ErrorCode, { title: string; remedy: string }>;
  /** Of no answer, or one that cannot be understood. `status` is that of HTTP. */
  ofNoResponse: Record<Exclude<NetworkErrorReason, "status">, string> & { status: (status: number) => string };
}

/** What the server refuses. */
export const problems = {
  namespace: "problems" as const,
  /** null: the server says it in this very language, with the facts of the case. */
  translations: null as ProblemMessages | null,
  /** What a field of a search is compared with. */
  comparison: {
    number: (field: string) => `${field} is compared with a whole number`,
    time: (field: string) => `${field} is compared with a time, as 500ms, 30s, 5m, 2h or 1d`,
    time_or_typical: (field: string) =>
      `${field} is compared with a time, as 500ms, 30s, 5m, 2h or 1d, or with typical`,
  } satisfies Record<FilterError["expected"], (field: string) => string>,
};
