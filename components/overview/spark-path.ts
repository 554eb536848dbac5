/** A value of a sparkline at one time. `value` is `null` if there is no measurement. */
export interface Sample {
  /** Time of the value, on the Redis clock, in Unix milliseconds. */
  readonly at: number;
  readonly value: number | null;
}

interface SparkFrame {
  /** Time at the left edge, in Unix milliseconds. `to` is the time at the right edge. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the samples as the `d` attribute of an SVG path. The scale starts at 0, because a scale that starts higher
 * would exaggerate small changes. A missing value or a sample outside the frame interrupts the line. A single value
 * between interruptions appears as a dot.
 */
export function buildSparkPath(samples: readonly Sample[], { from, to, width, height }: SparkFrame): string {
  const top = Math.max(0, ...samples.map(({ value }) => value ?? 0));
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const y = (value: number) => (top === 0 ? height : height - (value / top) * height);
  let path = "";
  let isDrawing = false;
  for (const { at, value } of samples) {
    // If the Redis clock was set back, samples can be in the future.
    if (value === null || at < from || at > to) {
      isDrawing = false;
      continue;
    }
    const point = `${roundCoordinate(x(at))} ${roundCoordinate(y(value))}`;
    path += isDrawing ? `L${point}` : `M${point}h0`;
    isDrawing = true;
  }
  return path;
}

const roundCoordinate = (value: number) => Math.round(value * 100) / 100;

/** Returns the sample nearest to a time, among the samples that have a value; `undefined` if no sample has a value. */
export function findNearestSample(samples: readonly Sample[], at: number): MeasuredSample | undefined {
  let nearest: MeasuredSample | undefined;
  for (const sample of samples) {
    if (!isMeasured(sample)) continue;
    if (nearest === undefined || Math.abs(sample.at - at) < Math.abs(nearest.at - at)) nearest = sample;
  }
  return nearest;
}

export interface MeasuredSample extends Sample {
  readonly value: number;
}

function isMeasured(sample: Sample): sample is MeasuredSample {
  return sample.value !== null;
}

/** How to combine the samples in a bucket: the largest value, or the mean of the values. */
export type SampleAggregation = "largest" | "mean";

/**
 * Combines the samples in each bucket of `bucketMs` ms, which limits the number of points. Buckets are aligned to
 * absolute time, so the line keeps its shape as it moves. Each point has the time of the last sample in its bucket.
 */
export function thinSamples(
  samples: readonly Sample[],
  bucketMs: number,
  aggregation: SampleAggregation,
): Sample[] {
  const buckets = new Map<number, Sample[]>();
  for (const sample of samples) {
    const bucket = Math.floor(sample.at / bucketMs);
    const others = buckets.get(bucket);
    if (others === undefined) buckets.set(bucket, [sample]);
    else others.push(sample);
  }
  return [...buckets.values()].map((each) => ({
    at: each.at(-1)?.at ?? 0,
    value: aggregateSamples(each, aggregation),
  }));
}

function aggregateSamples(samples: readonly Sample[], aggregation: SampleAggregation): number | null {
  const values = samples.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return null;
  if (aggregation === "largest") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
