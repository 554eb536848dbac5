import type { ProblemDescription } from "./describe-problem.ts";
import { MEANING_OF_OUTCOME, MEANING_OF_RETRY } from "./problem-kind.ts";

const INTRODUCTION = `# Problem codes

Every error response of the API is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with the content type \`application/problem+json\`. Decide by its \`code\`: titles and details are for people and may change. Its \`type\` is the path of a page of the same server, \`/problems/<code>\`, which shows the fields of the code and an example. The pages need no login; \`/problems\` lists all of them.

If your client does not know a code, decide by the status: do not retry a 4xx other than 408 and 429, and retry a 5xx with the same \`Idempotency-Key\`.
`;

/** Generates the content of docs/problems.md. */
export function formatProblemDocs(problems: readonly ProblemDescription[]): string {
  return [
    INTRODUCTION,
    formatTable(
      ["code", "status", "title", "anything done?", "retry?"],
      problems.map(({ code, status, title, outcome, retry, hasRetryAfter }) => [
        `[\`${code}\`](#${code})`,
        String(status),
        title,
        `\`${outcome}\``,
        `\`${retry}\`${hasRetryAfter ? " (`Retry-After`)" : ""}`,
      ]),
    ),
    formatTable(["anything done?", "meaning"], toRows(MEANING_OF_OUTCOME)),
    formatTable(["retry?", "meaning"], toRows(MEANING_OF_RETRY)),
    ...problems.map(formatProblem),
    "This page is generated from `lib/contract/problems`. To update it, run `npx vitest run --project unit lib/contract/problems -u`.\n",
  ].join("\n");
}

function formatProblem({ code, meaning, remedy, fields }: ProblemDescription): string {
  const rows = fields.map(({ name, type, isRequired, description = "" }) => [
    `\`${name}\`${isRequired ? "" : " (optional)"}`,
    `\`${type.replaceAll("|", "\\|")}\``,
    description,
  ]);
  const table = rows.length === 0 ? "" : `\n${formatTable(["field", "type", "description"], rows)}`;
  return `## ${code}\n\n${meaning} ${remedy}\n${table}`;
}

function toRows(meanings: Readonly<Record<string, string>>): string[][] {
  return Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]);
}

function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}
