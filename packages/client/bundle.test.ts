import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const BYTES_MAX = 10_000;

it("the bundle is below 10 KB with gzip and needs neither Node nor a package", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL("index.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const [bundle] = outputFiles;
  expect(gzipSync(bundle?.contents ?? "").length).toBeLessThan(BYTES_MAX);
  const folders = Object.keys(metafile.inputs).map((path) =>
    path.replace(/^.*?((?:lib|packages)\/\w+)\/.*$/, "$1"),
  );
  expect([...new Set(folders)].sort()).toEqual(["lib/client", "lib/keys", "packages/client"]);
  expect(bundle?.text).not.toMatch(/\b(?:process|Buffer|require|global|__dirname)\b[.([]/);
});
