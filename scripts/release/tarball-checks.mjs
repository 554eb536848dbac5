// Checks the content of a package's tarball before its release.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, relative } from "node:path";
import { listFiles, ROOT } from "../pack/package-files.mjs";

/** Patterns for the files that each package may contain. A file that matches no pattern is a finding. */
const CONTENTS = {
  redis: [/^(?:package\.json|README\.md|LICENSE)$/, /^esm\/(?:lib|server|packages)\/.+\.(?:js|d\.ts|lua)$/],
  client: [/^(?:package\.json|README\.md|LICENSE)$/, /^(?:esm|dist)\/.+\.(?:js|d\.ts)$/],
  lockkeeper: [
    /^(?:package\.json|README\.md|LICENSE|THIRD-PARTY-LICENSES\.txt)$/,
    /^bin\/lockkeeper\.js$/,
    /^(?:cli|lib|server)\/.+\.(?:js|lua)$/,
    /^\.next\/[^/]+\.(?:js|json)$/,
    /^\.next\/BUILD_ID$/,
    /^\.next\/(?:server|static)\/.+\.(?:js|json|css|html|rsc|meta|body|woff2|svg|txt|segment\.rsc)$/,
    /^public\/[\w.-]+\.(?:ico|png|svg|txt|webmanifest)$/,
    /^public\/samples\/[\w-]+\.(?:java|mts|sh|py|go)$/,
    /^node_modules\/(?:@next\/env|@swc\/helpers|baseline-browser-mapping|caniuse-lite|client-only|next|react|react-dom|styled-jsx)\//,
  ],
};
/** Maximum sizes of the tarballs in bytes. A larger tarball probably contains files that should not be published. */
const PACKED_BYTES_MAX = { redis: 400_000, client: 100_000, lockkeeper: 8_000_000 };

/** @typedef {keyof typeof CONTENTS} PackageName */

const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\blk_[A-Za-z0-9_-]{40,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /_authToken/,
];

const REPOSITORY = ROOT.replace(/\/$/, "");
/** @type {string[] | undefined} */
let foreignTexts;

/**
 * Extracts a tarball and checks its content.
 *
 * @param {PackageName} name
 * @param {{ tarball: string, packedBytes: number }} packed
 * @param {{ folder: string, version: string }} options `folder`: an empty folder for the extracted files
 * @returns {string[]} one sentence per finding
 */
export function inspectTarball(name, { tarball, packedBytes }, { folder, version }) {
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const root = join(folder, "package");
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const findings = listFiles(root).flatMap((file) =>
    inspectFile(name, relative(root, file), readFileSync(file)),
  );
  if (manifest.version !== version)
    findings.push(`package.json has version ${manifest.version}, not ${version}`);
  if (manifest.private) findings.push("package.json is private");
  if (manifest.scripts !== undefined) findings.push("package.json has scripts");
  if (packedBytes > PACKED_BYTES_MAX[name])
    findings.push(`${packedBytes} bytes are more than the limit of ${PACKED_BYTES_MAX[name]} bytes`);
  return findings;
}

/**
 * @param {PackageName} name
 * @param {string} path path in the package
 * @param {Buffer} content
 * @returns {string[]}
 */
export function inspectFile(name, path, content) {
  const findings = [];
  if (!CONTENTS[name].some((pattern) => pattern.test(path))) findings.push("is not an expected file");
  const text = content.toString("latin1");
  if (text.includes(REPOSITORY)) findings.push(`contains ${REPOSITORY}`);
  if (path.startsWith("node_modules/")) return findings.map((finding) => `${path} ${finding}`);
  for (const foreign of listForeignTexts()) if (text.includes(foreign)) findings.push(`contains ${foreign}`);
  if (/\.test\.|(?:^|\/)test\//.test(path)) findings.push("is a test");
  for (const pattern of SECRETS)
    if (pattern.test(text)) findings.push(`contains a secret (${pattern.source})`);
  if (/\.js$/.test(path) && !path.startsWith(".next/") && /(?:from|import\() ?"@\//.test(text))
    findings.push("imports a path alias");
  return findings.map((finding) => `${path} ${finding}`);
}

/**
 * Lists strings that identify the build machine: its home folder, host name and npm registry, which can be a private
 * mirror.
 */
function listForeignTexts() {
  foreignTexts ??= [`${homedir()}/`, hostname(), readRegistryHost()].filter((text) => text.length > 6);
  return foreignTexts;
}

function readRegistryHost() {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", stdio: "pipe" });
  return new URL(registry.trim()).host;
}
