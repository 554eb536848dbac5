// Checks the OpenAPI document with the recommended rules of Spectral and Redocly.
import { fileURLToPath } from "node:url";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import core from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";
import { buildOpenApiDocument } from "../../server/api/openapi/openapi.ts";
import { listDeclaredRoutes } from "../../test/support/declared-routes.ts";

/** @typedef {{ linter: string, isError: boolean, rule: string, path: string, message: string }} Finding */

const SPECTRAL_ERROR = 0;
/**
 * The file name that the linters print for the document. The file does not exist because the document is only in
 * memory.
 */
const FILE = fileURLToPath(new URL("openapi.json", import.meta.url));

const started = performance.now();
const source = JSON.stringify(buildOpenApiDocument(listDeclaredRoutes()), null, 1);
const findings = [...(await runSpectral(source)), ...(await runRedocly(source))];
printFindings(findings);

/**
 * @param {string} source
 * @returns {Promise<Finding[]>}
 */
async function runSpectral(source) {
  const spectral = new core.Spectral();
  spectral.setRuleset({ extends: [[rulesets.oas, "recommended"]] });
  const results = await spectral.run(new core.Document(source, parsers.Json, FILE));
  return results.map(({ code, message, path, severity }) => ({
    linter: "spectral",
    isError: severity === SPECTRAL_ERROR,
    rule: String(code),
    path: formatPointer(path),
    message,
  }));
}

/**
 * @param {string} source
 * @returns {Promise<Finding[]>}
 */
async function runRedocly(source) {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, absoluteRef: FILE, config });
  return problems.map(({ ruleId, message, location, severity }) => ({
    linter: "redocly",
    isError: severity === "error",
    rule: ruleId,
    path: location[0]?.pointer ?? "#/",
    message,
  }));
}

/**
 * Formats a JSON pointer in the same way as Redocly.
 *
 * @param {(string | number)[]} path
 */
function formatPointer(path) {
  return `#/${path.map((part) => String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

/** @param {Finding[]} findings */
function printFindings(findings) {
  for (const { linter, isError, rule, path, message } of findings) {
    const severity = isError ? "error" : "warning";
    console.log(`${linter} ${severity} ${rule} ${path}: ${message.replaceAll(/\s+/g, " ")}`);
  }
  const count = (/** @type {string} */ linter, /** @type {boolean} */ isError) =>
    findings.filter((one) => one.linter === linter && one.isError === isError).length;
  for (const linter of ["spectral", "redocly"]) {
    console.log(`${linter}: ${count(linter, true)} errors, ${count(linter, false)} warnings`);
  }
  console.log(`OpenAPI document checked in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (findings.some(({ isError }) => isError)) process.exitCode = 1;
}
