/** Milliseconds in a story: to a tenth, which is as fine as any story needs. */
export function ms(value: number): string {
  return `${Number(value.toFixed(1))}`;
}
