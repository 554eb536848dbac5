interface Json {
  [name: string]: Json | undefined;
}

/**
 * Moves repeated headers and examples of problems to `components`, which reduces the document to a third of its size.
 * Also moves keywords next to a `$ref` into `allOf`, because some generators ignore them although OpenAPI 3.1 allows
 * them.
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

/** Replaces members with references to `shared`. A member whose name is used for a different value stays in place. */
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
  // `additionalProperties` is copied from the referenced object. Next to the reference, it would reject all properties.
  const { $ref, additionalProperties: _, ...beside } = Object.fromEntries(members);
  if (typeof $ref !== "string" || Object.keys(beside).length === 0) return Object.fromEntries(members);
  return { allOf: [{ $ref }], ...beside } as unknown as Json;
}
