import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT_KEY, startTestServer } from "../../support/test-server.ts";
import { run } from "../children.ts";
import type { Client } from "../clients/client.ts";
import type { Tools } from "../prepared.ts";
import { withTempDir } from "../snippets/language-run.ts";

export const GENERATE_MS = 180_000;
export const COMPILE_MS = 90_000;
/** File name of the server's OpenAPI document in the folder of the generated client. */
export const DOCUMENT = "openapi.json";
const SMOKE_MS = 30_000;

/** Command that runs the smoke test. The URL of the server is appended as its last argument. */
export type Command = readonly [string, ...string[]];

/**
 * Creates a test that generates a client from the OpenAPI document, compiles it and runs a smoke test with it.
 *
 * @param compile generates and compiles the client in `dir`, without changing the document or the generated code
 */
export function createSmokeClient<Name extends keyof Tools>(
  name: string,
  tool: Name,
  compile: (dir: string, tool: Tools[Name]) => Promise<Command>,
): Client {
  return {
    name: `client generated in ${name}`,
    needs: [tool],
    async run({ tools, note }) {
      const server = await startTestServer();
      try {
        await withTempDir(async (dir) => {
          const { body } = await server.call("/openapi.json");
          await writeFile(join(dir, DOCUMENT), JSON.stringify(body));
          const [command, ...args] = await compile(dir, tools[tool]);
          const env = { ...process.env, LOCKKEEPER_API_KEY: ROOT_KEY };
          await run(command, [...args, server.url], { cwd: dir, env, limitMs: SMOKE_MS });
        });
      } finally {
        await server.stop();
      }
      note(
        "compiles; acquires, renews, reads asOf exactly, decodes the refusal and the loss, force-releases, releases",
      );
    },
  };
}
