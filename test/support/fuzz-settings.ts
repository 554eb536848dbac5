/** Seed of the fuzz tests. Fixed by default, so that a failure is reproducible. `FUZZ_SEED` overrides the seed. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 7);
/** Total number of requests in a fuzz test. */
export const FUZZ_CASES = Number(process.env.FUZZ_CASES ?? 5000);
