/** What stands before every address of this console; "" at the root of its host. The build puts it in. */
export const BASE_PATH = process.env.LOCKKEEPER_BUILD_BASE_PATH ?? "";
