/** What a check throws when the backend did not do what its port promises. */
export class Breach extends Error {
  override readonly name = 'Breach';
}

/** What a check throws when it turns out that there is nothing to check. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/** @throws Breach with `complaint`, unless `holds` */
export function assertRule(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new Breach(complaint);
}

/** A value for a complaint, on one line. */
export function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Error ? part.message : part,
  );
}
