import { memo, type PointerEvent, useMemo } from "react";
import {
  buildSparkPath,
  findNearestSample,
  type MeasuredSample,
  type Sample,
  type SampleAggregation,
  thinSamples,
} from "./spark-path.ts";

const WIDTH = 100;
const HEIGHT = 24;
/** Maximum number of points. At the usual width, points are about two pixels apart. */
const STRETCHES = 48;

interface SparklineProps {
  samples: readonly Sample[];
  from: number;
  to: number;
  aggregation: SampleAggregation;
  /** Text alternative for screen readers. */
  label: string;
  /** The sample under the pointer; `null` if there is none. */
  pointed: MeasuredSample | null;
  onPoint(sample: MeasuredSample | null): void;
}

/**
 * Draws samples as a line in the color of the surrounding text. CSS scales and colors the line, so a change of theme or
 * size does not require a new render.
 */
export const Sparkline = memo(function Sparkline({
  samples,
  from,
  to,
  aggregation,
  label,
  pointed,
  onPoint,
}: SparklineProps) {
  const path = useMemo(() => {
    const drawn = thinSamples(samples, (to - from) / STRETCHES, aggregation);
    return buildSparkPath(drawn, { from, to, width: WIDTH, height: HEIGHT });
  }, [samples, from, to, aggregation]);
  const point = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onPoint(findNearestSample(samples, from + ((clientX - left) / width) * (to - from)) ?? null);
  };
  const x = pointed === null ? null : ((pointed.at - from) / (to - from)) * WIDTH;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      preserveAspectRatio="none"
      onPointerMove={point}
      onPointerLeave={() => onPoint(null)}
      className="h-7 w-full max-w-28 min-w-0 overflow-visible"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path
        d={`M0 ${HEIGHT}H${WIDTH}`}
        className="text-line"
        stroke="currentColor"
        strokeWidth="1"
        vectorEffect="non-scaling-stroke"
      />
      <path d={path} data-line vectorEffect="non-scaling-stroke" />
      {x !== null && (
        <path
          d={`M${x} 0V${HEIGHT}`}
          className="text-accent"
          stroke="currentColor"
          strokeWidth="1"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
});
