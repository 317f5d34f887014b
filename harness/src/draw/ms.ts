/** Milliseconds in a story: to a tenth, which is as fine as any story needs. */
export function ms(value: number): string {
  return `${Number(value.toFixed(1))}`;
}

/** For how long, with its unit: what is too short for a tenth of a millisecond is not nothing. */
export function lengthOf(valueMs: number): string {
  if (valueMs <= 0 || valueMs >= 0.05) return `${ms(valueMs)} ms`;
  return `${Math.max(1, Math.round(valueMs * 1000))} µs`;
}
