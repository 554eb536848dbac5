import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const BYTES_MAX = 10_000;
/** Maximum size in bytes (compressed) that latches may add to a program that also uses the main entry point. */
const LATCH_BYTES_MAX = 1000;

async function bundle(...entries: readonly string[]) {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: entries.map((entry) => `export * from "./${entry}.ts";`).join("\n"),
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const [file] = outputFiles;
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /((?:lib|packages)\/\w+(?:\/\w+)*)\/[^/]*$/.exec(path)?.[1] ?? [],
  );
  return {
    bytes: gzipSync(file?.contents ?? "").length,
    text: file?.text,
    folders: [...new Set(folders)].sort(),
  };
}

it("the bundle is below 10 KB with gzip and needs neither Node nor a package", async () => {
  const { bytes, text, folders } = await bundle("index");
  expect(bytes).toBeLessThan(BYTES_MAX);
  expect(folders).toEqual(["lib/client", "lib/keys", "packages/client"]);
  expect(text).not.toMatch(/\b(?:process|Buffer|require|global|__dirname)\b[.([]/);
});

it("latches add less than 1 KB, and only to programs that import them", async () => {
  const { bytes, text, folders } = await bundle("index", "latch");
  expect(bytes).toBeLessThan(BYTES_MAX + LATCH_BYTES_MAX);
  expect(folders).toEqual(["lib/client", "lib/client/latches", "lib/keys", "packages/client"]);
  expect(text).not.toMatch(/\b(?:process|Buffer|require|global|__dirname)\b[.([]/);
});
