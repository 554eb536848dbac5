interface Json {
  [name: string]: Json | undefined;
}

/**
 * The same document, in the form that generators take best and in a third of the size: what is said again and again
 * (headers, examples of problems) stands once and is referred to; and nothing stands beside a reference, which 3.1
 * allows and some of them do not read.
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

/** Refers to what is shared already, and shares what is not; what has the name of another thing stays where it is. */
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
  // A copy of the object that is referred to; with it the reference would accept no members.
  const { $ref, additionalProperties: _, ...beside } = Object.fromEntries(members);
  if (typeof $ref !== "string" || Object.keys(beside).length === 0) return Object.fromEntries(members);
  return { allOf: [{ $ref }], ...beside } as unknown as Json;
}
