import { expect, it } from "vitest";
import { referenceTexts } from "../../../lib/i18n/zh/api-reference/reference-texts.ts";
import { problems } from "../../../lib/i18n/zh/problems.ts";
import type { MediaObject, OpenApiDocument } from "../../../lib/reference/document.ts";
import { listOperations, resolveSchema } from "../../../lib/reference/document.ts";
import { localizeDocument } from "../../../lib/reference/localized-document.ts";
import { listDeclaredRoutes } from "../../../test/support/declared-routes.ts";
import { buildOpenApiDocument } from "./openapi.ts";

const source: OpenApiDocument = JSON.parse(JSON.stringify(buildOpenApiDocument(listDeclaredRoutes())));
const chinese = localizeDocument(source, referenceTexts, problems.translations?.ofCode ?? {});

/** Lists all translatable strings of the API reference, each with the place where it appears. */
function listTexts(document: OpenApiDocument): [place: string, text: string | undefined][] {
  const operations = listOperations(document).flatMap((operation) => {
    const { operationId: id, requestBody, responses, parameters = [] } = operation;
    const media = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
    return [
      [`${id} summary`, operation.summary],
      [`${id} description`, operation.description],
      ...parameters.map(({ name, description }) => [`${id} parameter ${name}`, description]),
      ...listExamples(requestBody?.content ?? {}).map((text, index) => [`${id} example ${index}`, text]),
      ...Object.entries(responses).map(([status, { description }]) => [`${id} ${status}`, description]),
      ...media.flatMap((each) => listMessages(id, each)),
    ] as [string, string | undefined][];
  });
  const tags = (document.tags ?? []).map(
    ({ name, description }) => [`tag ${name}`, description] as [string, string | undefined],
  );
  return [["description", document.info.description], ...tags, ...operations];
}

function listExamples(content: Readonly<Record<string, MediaObject>>) {
  return Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ summary }) => summary),
  );
}

function listMessages(id: string, media: MediaObject): [string, string | undefined][] {
  return Object.entries(media["x-events"] ?? {}).map(([name, { description }]) => [
    `${id} message ${name}`,
    description,
  ]);
}

it("every text of the API reference outside schemas has a Chinese translation", () => {
  const missing = listTexts(chinese)
    .filter(([, text]) => text !== undefined && !/\p{Script=Han}/u.test(text))
    .map(([place]) => place);
  expect(missing).toEqual([]);
});

it("the Chinese reference names no operation or tag that the API does not have", () => {
  const operations = listOperations(source).map(({ operationId }) => operationId);
  expect(Object.keys(referenceTexts.operations).sort()).toEqual(operations.sort());
  const tags = (source.tags ?? []).map(({ name }) => name);
  expect(Object.keys(referenceTexts.tags).sort()).toEqual(tags.sort());
});

it("every field of a request body has a Chinese description", () => {
  for (const { operationId, requestBody, fieldDescriptions = {} } of listOperations(chinese)) {
    const schema = requestBody?.content["application/json"]?.schema ?? {};
    const fields = Object.entries(resolveSchema(source, schema).properties ?? {})
      .filter(([, field]) => resolveSchema(source, field).description !== undefined)
      .map(([name]) => name);
    const texts = Object.entries(fieldDescriptions);
    expect([operationId, texts.map(([name]) => name).sort()]).toEqual([operationId, fields.sort()]);
    for (const [name, text] of texts) expect(text, name).toMatch(/\p{Script=Han}/u);
  }
});

it("a translation leaves methods, schemas and examples as they are", () => {
  expect(chinese.components).toEqual(source.components);
  for (const [index, operation] of listOperations(source).entries()) {
    const translated = listOperations(chinese)[index];
    expect(translated?.operationId).toBe(operation.operationId);
    expect(Object.keys(translated?.responses ?? {})).toEqual(Object.keys(operation.responses));
    expect(translated?.parameters?.map(({ schema }) => schema) ?? []).toEqual(
      (operation.parameters ?? []).map(({ schema }) => schema),
    );
  }
});
