import { CallSize, type CallSizeLimits } from "./call-size.ts";

// Redis takes some 0.3 ms for a near call of any kind: 0.6 µs a key to scan, 15 µs to read, 6 µs to
// summarize.
const SCAN_LIMITS: CallSizeLimits = { least: 250, near: 500, most: 10_000 };
const READ_LIMITS: CallSizeLimits = { least: 8, near: 32, most: 100 };
const FINGERPRINT_LIMITS: CallSizeLimits = { least: 20, near: 50, most: 1000 };

/** The sizes of the calls by which the keys of one master are found, read and polled. */
export class CallSizes {
  readonly scan = new CallSize(SCAN_LIMITS);
  readonly read = new CallSize(READ_LIMITS);
  /** Of keys that a scan found. */
  readonly fingerprint = new CallSize(FINGERPRINT_LIMITS);
  /** Of keys that are known to be locks. */
  readonly poll = new CallSize(FINGERPRINT_LIMITS);

  setRoundTrip(roundTripMs: number): void {
    for (const size of [this.scan, this.read, this.fingerprint, this.poll]) size.setRoundTrip(roundTripMs);
  }
}
