/** How high rows are. */
export const DENSITIES = ["dense", "normal", "airy"] as const;
export type Density = (typeof DENSITIES)[number];

export const ROW_PX: Readonly<Record<Density, number>> = { dense: 32, normal: 40, airy: 48 };

export function parseDensity(text: string | null): Density {
  return DENSITIES.find((density) => density === text) ?? "normal";
}
