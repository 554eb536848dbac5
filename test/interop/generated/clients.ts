import type { Client } from "../clients/client.ts";
import { compileGoSmoke } from "./go.ts";
import { compileJavaSmoke } from "./java.ts";
import { checkPythonSmoke } from "./python.ts";
import { createSmokeClient } from "./smoke-client.ts";
import { compileTypescriptSmoke } from "./typescript.ts";

/** One test for each client generator. */
export const generatedClients: readonly Client[] = [
  createSmokeClient("Java (openapi-generator)", "javaGenerator", compileJavaSmoke),
  createSmokeClient("TypeScript (@hey-api/openapi-ts)", "typescriptGenerator", compileTypescriptSmoke),
  createSmokeClient("Python (openapi-python-client)", "pythonGenerator", checkPythonSmoke),
  createSmokeClient("Go (oapi-codegen)", "goGenerator", compileGoSmoke),
];
