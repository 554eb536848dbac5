/** Path prefix of every console URL, set at build time. Empty if the console is served at the root of the host. */
export const BASE_PATH = process.env.LOCKKEEPER_BUILD_BASE_PATH ?? "";
