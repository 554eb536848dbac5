/** The server's OpenAPI 3.1 document, limited to the members that the docs page and the snippets read. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly TagObject[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, SchemaObject>> };
}

export interface TagObject {
  readonly name: string;
  readonly description?: string;
  /** Translated name for display. `name` is not translated, because operations refer to the tag by its name. */
  readonly label?: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly "x-access"?: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaObject>> };
  /** Translated descriptions of the fields of the request body, by name. */
  readonly fieldDescriptions?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface ParameterObject {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: SchemaObject;
}

export interface MediaObject {
  readonly schema?: SchemaObject;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
  readonly "x-events"?: Readonly<Record<string, StreamEventObject>>;
}

export interface StreamEventObject {
  readonly description?: string;
  readonly schema?: SchemaObject;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Readonly<Record<string, MediaObject>>;
}

/** The JSON Schema keywords that the OpenAPI document uses. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly items?: SchemaObject;
  readonly anyOf?: readonly SchemaObject[];
  readonly oneOf?: readonly SchemaObject[];
  readonly allOf?: readonly SchemaObject[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

export interface ReferenceOperation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

export function listOperations({ paths }: OpenApiDocument): ReferenceOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

const REFERENCE_PREFIX = "#/components/schemas/";

export function getReferenceName(schema: SchemaObject): string | undefined {
  // The document writes a reference with its own description as the only member of `allOf`, because a reference must
  // not have siblings.
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return reference?.startsWith(REFERENCE_PREFIX) ? reference.slice(REFERENCE_PREFIX.length) : undefined;
}

/**
 * Returns the schema to which a reference points, merged with the keywords next to the reference. The keywords next to
 * the reference take precedence. Returns a schema that is not a reference unchanged.
 */
export function resolveSchema({ components }: OpenApiDocument, schema: SchemaObject): SchemaObject {
  const { $ref: _, allOf, ...beside } = schema;
  const name = getReferenceName(schema);
  if (name === undefined) return schema;
  return { ...components?.schemas?.[name], ...beside };
}
