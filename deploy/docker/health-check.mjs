// Exits with 0 if the Lockkeeper in this container returns 200 for a path, which is `/healthz` or `/readyz`.
const { PORT = "3000", LOCKKEEPER_BASE_PATH = "" } = process.env;
const [path = "/healthz"] = process.argv.slice(2);
/** Shorter than the timeout of the health check, so that the reason is printed. */
const TIMEOUT_MS = 2_500;

try {
  const url = `http://127.0.0.1:${PORT}${LOCKKEEPER_BASE_PATH}${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = (await response.text()).trim();
  console.log(`${path}: ${response.status} ${text}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  const { cause, message } = /** @type {Error} */ (error);
  console.log(`${path}: ${cause instanceof Error ? cause.message : message}`);
  process.exitCode = 1;
}
