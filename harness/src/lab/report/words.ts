/** `under pause and failover`; of more names than that under how many faults: the matrix below has them. */
export function under(cells: readonly { readonly fault: string }[], namesMax = 5): string {
  const names = cells.map(({ fault }) => fault);
  return `under ${names.length > namesMax ? `${names.length} faults` : list(names)}`;
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
