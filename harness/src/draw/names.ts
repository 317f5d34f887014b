const NAMES_MAX = 14;

/** `n1`, or `n1,n2,n3`; where they are too many, the first and how many more. */
export function shortened(names: readonly string[]): string {
  const all = names.join(',');
  return all.length <= NAMES_MAX ? all : `${names[0]} +${names.length - 1}`;
}
