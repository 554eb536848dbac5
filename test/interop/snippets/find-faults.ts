import type { ErrorCode } from "../../../lib/contract/error.ts";
import { createProblemSchema } from "../../../lib/contract/problems/problem-catalogue.ts";
import {
  listOperations,
  type OpenApiDocument,
  type ReferenceOperation,
} from "../../../lib/reference/document.ts";
import { createSampleRequest } from "../../../lib/reference/sample-request.ts";
import { listDeclaredRoutes } from "../../support/declared-routes.ts";
import { ROOT_KEY, startTestServer } from "../../support/test-server.ts";
import { type Runner, runSnippets, type SnippetResponse } from "./language-run.ts";

const routes = listDeclaredRoutes();

/**
 * Runs the snippets of all operations against a new server.
 *
 * @returns the differences between the responses and the OpenAPI document
 */
export async function findFaults(runner: Runner): Promise<string[]> {
  const server = await startTestServer();
  try {
    const { body } = await server.call("/openapi.json");
    const operations = listOperations(body as OpenApiDocument);
    const requests = operations.map(createSampleRequest);
    const said = await runSnippets(runner, requests, { url: server.url, apiKey: ROOT_KEY });
    const faults = operations.map((operation) => {
      const answer = said.find(({ name }) => name === operation.operationId);
      return answer === undefined ? `${operation.operationId} said nothing` : findFault(answer, operation);
    });
    // At least the acquire must succeed, which proves that the snippets are not merely rejected.
    const acquired = said.find(({ name }) => name === "acquireLock");
    if (acquired?.status !== 201) faults.push(`acquireLock answered ${acquired?.status}: ${acquired?.body}`);
    return faults.filter((fault) => fault !== undefined);
  } finally {
    await server.stop();
  }
}

/**
 * Checks a response against the OpenAPI document.
 *
 * @returns a description of the fault, or undefined if the response matches
 */
function findFault(
  { name, status, body }: SnippetResponse,
  operation: ReferenceOperation,
): string | undefined {
  const answer = operation.responses[String(status)];
  if (answer === undefined) return `${name} answered ${status}, which is not documented: ${body}`;
  if (answer.content?.["text/event-stream"] !== undefined) {
    const events = Object.keys(answer.content["text/event-stream"]["x-events"] ?? {});
    const event = /^event: (\w+)$/m.exec(body)?.[1] ?? "";
    return events.includes(event)
      ? undefined
      : `${name} began with the event "${event}", which is not documented`;
  }
  const problem = answer.content?.["application/problem+json"];
  if (problem !== undefined) {
    const { code } = JSON.parse(body);
    if (problem.examples?.[code] === undefined) return `${name} answered ${code}, which is not documented`;
    return describeMismatch(name, createProblemSchema(code as ErrorCode).safeParse(JSON.parse(body)));
  }
  const schema = routes.find(({ operationId }) => operationId === name)?.response.schema;
  if (schema === undefined || answer.content?.["application/json"] === undefined) return undefined;
  return describeMismatch(name, schema.safeParse(JSON.parse(body)));
}

function describeMismatch(
  name: string,
  { error }: { error?: { message: string } | undefined },
): string | undefined {
  return error && `${name} answered what its schema does not say: ${error.message}`;
}
