const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** Formats bytes in the units that Redis settings use: `1.5 GB` is 1.5 × 1024³ bytes. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}
