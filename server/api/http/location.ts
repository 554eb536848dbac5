/** Builds the `Location` header of a created resource: its path. */
export function buildLocation(basePath: string, collection: string, id: string): string {
  return `${basePath}/api/v1/${collection}/${encodeURIComponent(id)}`;
}

/** Declares the `Location` header for the OpenAPI document. */
export function describeLocation(collection: string, exampleId: string) {
  return {
    Location: {
      description: "Path of the created resource.",
      example: buildLocation("", collection, exampleId),
    },
  };
}
