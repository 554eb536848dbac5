/** The row heights that the operator can select. */
export const ROW_DENSITIES = ["dense", "normal", "airy"] as const;
export type RowDensity = (typeof ROW_DENSITIES)[number];

export const ROW_HEIGHT_PX: Readonly<Record<RowDensity, number>> = { dense: 32, normal: 40, airy: 48 };

export function parseRowDensity(text: string | null): RowDensity {
  return ROW_DENSITIES.find((density) => density === text) ?? "normal";
}
