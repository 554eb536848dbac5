/** Path prefix of every URL of the console, set by the build; "" at the root of the host. */
export const BASE_PATH = process.env.LOCKKEEPER_BUILD_BASE_PATH ?? "";
