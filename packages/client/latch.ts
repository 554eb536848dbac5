/**
 * Count-down latches over the HTTP API of a Lockkeeper server. This entry point is separate, so that programs that do
 * not use latches do not load the code for latches.
 *
 * @packageDocumentation
 */

export { Latch, type LatchWaitOptions } from "../../lib/client/latches/latch.ts";
