let passed = 0;
let failed = 0;

/**
 * Runs a check and prints one line with the result and the text that `check` returns. Returns whether the check passed.
 *
 * @param {string} name
 * @param {() => Promise<string | void> | string | void} check
 * @returns {Promise<boolean>}
 */
export async function check(name, check) {
  try {
    const figure = await check();
    passed++;
    console.log(`ok    ${name}${figure ? `: ${figure}` : ""}`);
    return true;
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** Returns the number of passed and failed checks in the format that CI parses, and whether all passed. */
export function summary() {
  return { line: `${passed} passed, ${failed} failed`, ok: failed === 0 };
}

/**
 * @param {unknown} actual
 * @param {unknown} wanted
 * @param {string} what
 */
export function expectSame(actual, wanted, what) {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${what} is ${is}, not ${should}`);
}

/** @param {number} ms */
export function seconds(ms) {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
