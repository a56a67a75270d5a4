/** How many times a property runs: `full`, and in `scripts/test quick` a tenth of that. */
export function runs(full: number): number {
  return Math.max(1, Math.round(full * Number(process.env['PROPERTY_SHARE'] ?? 1)));
}
