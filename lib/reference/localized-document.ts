import type {
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from "./document.ts";

/** Translations for one operation of the API reference. */
export interface OperationTexts {
  readonly summary: string;
  readonly description: string;
  /** Descriptions of successful responses, by status. */
  readonly results: Readonly<Record<string, string>>;
  /** Summaries of the request examples, in the same order as in the document. */
  readonly examples?: readonly string[];
  /** Descriptions of parameters, by name, if they differ from the descriptions in other operations. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Descriptions of the messages that a stream sends, by name. */
  readonly messages?: Readonly<Record<string, string>>;
}

/** Translations for the API reference in another language. Fields are translated only in request bodies. */
export interface ReferenceTexts {
  readonly description: string;
  /** Description of the 304 response, which is the same for all operations. */
  readonly notModified: string;
  readonly tags: Readonly<Record<string, { readonly label: string; readonly description: string }>>;
  /** Translations of operations, by operation ID. */
  readonly operations: Readonly<Record<string, OperationTexts>>;
  /** Default descriptions of parameters, by name. The `parameters` of an operation take precedence. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Descriptions of request body fields, by operation ID and field name. */
  readonly requestFields: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Translations of problems, by code. */
export type ProblemTexts = Readonly<Record<string, { readonly title: string; readonly remedy: string }>>;

/** Returns a copy of the document with translated text. Text without a translation does not change. */
export function localizeDocument(
  document: OpenApiDocument,
  texts: ReferenceTexts,
  problems: ProblemTexts,
): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        localizeOperation(operation, texts, problems),
      ]),
    ),
  ]);
  return {
    ...document,
    info: { ...document.info, description: texts.description },
    tags: (document.tags ?? []).map((tag) => ({ ...tag, ...texts.tags[tag.name] })),
    paths: Object.fromEntries(paths),
  };
}

function localizeOperation(
  operation: OperationObject,
  texts: ReferenceTexts,
  problems: ProblemTexts,
): OperationObject {
  const own = texts.operations[operation.operationId];
  if (own === undefined) return operation;
  const { parameters = [], requestBody, responses } = operation;
  const localizeParameter = (parameter: ParameterObject) => ({
    ...parameter,
    ...describe(own.parameters?.[parameter.name] ?? texts.parameters[parameter.name]),
  });
  const localizeResponse = ([status, response]: [string, ResponseObject]) => [
    status,
    Number(status) >= 400
      ? { ...response, ...describe(describeProblems(response, problems)) }
      : localizeResult(response, own, status === "304" ? texts.notModified : own.results[status]),
  ];
  return {
    ...operation,
    summary: own.summary,
    fieldDescriptions: texts.requestFields[operation.operationId] ?? {},
    description: own.description,
    parameters: parameters.map(localizeParameter),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { content: mapMedia(requestBody.content, (media) => localizeExamples(media, own)) } }),
    responses: Object.fromEntries(Object.entries(responses).map(localizeResponse)),
  };
}

function describe(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

/**
 * Describes the problems of an error response, whose examples are named after the problem codes. Returns `undefined` if
 * a translation is missing.
 */
function describeProblems({ content }: ResponseObject, problems: ProblemTexts): string | undefined {
  const codes = Object.keys(content?.["application/problem+json"]?.examples ?? {});
  const lines = codes.flatMap((code) => {
    const problem = problems[code];
    return problem === undefined ? [] : [`\`${code}\`：${problem.title}。${problem.remedy}`];
  });
  return lines.length === codes.length && lines.length > 0 ? lines.join("\n\n") : undefined;
}

function localizeResult(
  response: ResponseObject,
  { messages = {} }: OperationTexts,
  description: string | undefined,
): ResponseObject {
  const localizeMessages = (media: MediaObject): MediaObject => {
    const events = Object.entries(media["x-events"] ?? {});
    if (events.length === 0) return media;
    return {
      ...media,
      "x-events": Object.fromEntries(
        events.map(([name, event]) => [name, { ...event, ...describe(messages[name]) }]),
      ),
    };
  };
  return {
    ...response,
    ...describe(description),
    ...(response.content === undefined ? {} : { content: mapMedia(response.content, localizeMessages) }),
  };
}

function localizeExamples(media: MediaObject, { examples: summaries = [] }: OperationTexts): MediaObject {
  if (media.examples === undefined) return media;
  const examples = Object.entries(media.examples).map(([name, example], index) => [
    name,
    { ...example, summary: summaries[index] ?? example.summary },
  ]);
  return { ...media, examples: Object.fromEntries(examples) };
}

function mapMedia(
  content: Readonly<Record<string, MediaObject>>,
  localize: (media: MediaObject) => MediaObject,
): Record<string, MediaObject> {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, localize(media)]));
}
