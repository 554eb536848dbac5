import { z } from "zod";
import { type OpenApiDocument, resolveSchema, type SchemaObject } from "../../reference/document.ts";
import { formatSchemaType } from "../../reference/schema-text.ts";
import { ERROR_CODES, type ErrorCode, STATUS_OF_CODE, TITLE_OF_CODE } from "../error.ts";
import { createProblemExample, hasRetryAfter, PROBLEM_OF_CODE } from "./problem-catalogue.ts";
import type { ProblemOutcome, ProblemRetry } from "./problem-kind.ts";

/** A field that an error code adds to the problem document. */
export interface ProblemField {
  readonly name: string;
  /** The type as shown to readers, such as `integer | null` or `Lock`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/** The content of the page that documents an error code. */
export interface ProblemDescription {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly outcome: ProblemOutcome;
  readonly retry: ProblemRetry;
  readonly hasRetryAfter: boolean;
  readonly remedy: string;
  readonly fields: readonly ProblemField[];
  /** A complete example of the problem document. */
  readonly example: Readonly<Record<string, unknown>>;
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(STATUS_OF_CODE, text);
}

/**
 * Returns the content of the page that documents an error code.
 *
 * @param basePath the path at which the server is mounted; "" at the root of its host
 */
export function describeProblem(code: ErrorCode, basePath: string): ProblemDescription {
  const { meaning, outcome, retry, remedy, facts } = PROBLEM_OF_CODE[code];
  return {
    code,
    status: STATUS_OF_CODE[code],
    title: TITLE_OF_CODE[code],
    meaning,
    outcome,
    retry,
    hasRetryAfter: hasRetryAfter(code),
    remedy,
    fields: listFields(z.object(facts)),
    example: createProblemExample(code, basePath),
  };
}

/** Returns the content of the pages of all error codes, ordered by status. */
export function describeAllProblems(basePath: string): readonly ProblemDescription[] {
  return ERROR_CODES.map((code) => describeProblem(code, basePath));
}

/** Maximum number of enum values to list. A longer enum is shown as `string[]`. */
const VALUES_SHOWN_MAX = 6;

function formatFieldType(document: OpenApiDocument, field: SchemaObject): string {
  const values = resolveSchema(document, field.items ?? {}).enum ?? [];
  return values.length > VALUES_SHOWN_MAX ? "string[]" : formatSchemaType(document, field);
}

function listFields(schema: z.ZodObject): ProblemField[] {
  const json: SchemaObject & { readonly $defs?: Readonly<Record<string, SchemaObject>> } = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io: "output" })).replaceAll("#/$defs/", "#/components/schemas/"),
  );
  const document: OpenApiDocument = {
    info: { title: "", version: "" },
    paths: {},
    components: { schemas: json.$defs ?? {} },
  };
  return Object.entries(json.properties ?? {}).map(([name, field]) => ({
    name,
    type: formatFieldType(document, field),
    isRequired: json.required?.includes(name) ?? false,
    description: field.description,
  }));
}
