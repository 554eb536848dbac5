// Runs an npm registry that serves the packed packages. Requests for all other packages are redirected to the
// configured registry.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";

/**
 * Starts the registry on a free port of the loopback interface.
 *
 * @param {Iterable<string>} tarballs
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startStandInRegistry(tarballs) {
  const upstream = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
  const files = [...tarballs];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", url).pathname).slice(1);
    const file = files.find((each) => path === `-/${basename(each)}`);
    const document = documents.get(path);
    if (file !== undefined) response.end(readFileSync(file));
    else if (document !== undefined)
      response.setHeader("content-type", "application/json").end(JSON.stringify(document));
    else response.writeHead(307, { location: new URL(`.${request.url}`, upstream).href }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  const documents = new Map(files.map((file) => describe(file, url)));
  return { url, stop: () => void server.closeAllConnections() || server.close() };
}

/**
 * Returns the name of a packed package and the document with which a registry describes the package.
 *
 * @param {string} tarball
 * @param {string} url
 * @returns {[string, object]}
 */
function describe(tarball, url) {
  const text = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  const manifest = JSON.parse(text);
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const dist = { tarball: `${url}/-/${basename(tarball)}`, integrity };
  return [
    manifest.name,
    {
      name: manifest.name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    },
  ];
}
