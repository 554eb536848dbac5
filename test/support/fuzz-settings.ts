/** What a run of chance begins with: always the same, so that a test fails for everybody or nobody; or as asked for. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 7);
/** How many requests a fuzz sends in all. */
export const FUZZ_CASES = Number(process.env.FUZZ_CASES ?? 5000);
