/**
 * Count-down latches over the HTTP API of a Lockkeeper server. A separate entry point, so that programs without latches
 * do not load their code.
 *
 * @packageDocumentation
 */

export { Latch, type LatchWaitOptions } from "../../lib/client/latches/latch.ts";
