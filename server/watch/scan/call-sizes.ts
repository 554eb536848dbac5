import { CallSize, type CallSizeLimits } from "./call-size.ts";

// A call with `near` keys takes Redis 0.3 to 0.9 ms: 0.6 to 0.9 µs per key to scan, 15 to 30 µs to read, and 6 µs to
// fingerprint. Calls with fewer keys than `least` would slow down a scan without lowering the p99 latency of other
// clients, because the round trip would take longer than Redis's work.
const SCAN_LIMITS: CallSizeLimits = { least: 500, near: 1000, most: 10_000 };
const READ_LIMITS: CallSizeLimits = { least: 16, near: 32, most: 100 };
const FINGERPRINT_LIMITS: CallSizeLimits = { least: 20, near: 50, most: 1000 };

/** The call sizes for scanning, reading, fingerprinting and polling the keys of one master. */
export class CallSizes {
  readonly scan = new CallSize(SCAN_LIMITS);
  readonly read = new CallSize(READ_LIMITS);
  /** Size of the calls that read fingerprints of keys found by a scan. */
  readonly fingerprint = new CallSize(FINGERPRINT_LIMITS);
  /** Size of the calls that poll known locks. */
  readonly poll = new CallSize(FINGERPRINT_LIMITS);

  setRoundTrip(roundTripMs: number): void {
    for (const size of [this.scan, this.read, this.fingerprint, this.poll]) size.setRoundTrip(roundTripMs);
  }
}
