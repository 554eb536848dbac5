/** Builds the value of the `Location` header for a created resource: the path of the resource. */
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
