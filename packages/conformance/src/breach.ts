/**
 * The error of a check whose backend broke a promise of its port.
 * @example
 * ```ts
 * const rule: Check = {
 *   name: 'health names a node',
 *   async run({ subject }) {
 *     const health = await (await subject.open(host)).health?.();
 *     if (health?.nodes.length === 0) throw new Breach('no node');
 *   },
 * };
 * ```
 */
export class Breach extends Error {
  override readonly name = 'Breach';
}

/** The error of a check that finds nothing to check. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/** @throws Breach with `complaint`, unless `holds` */
export function assertRule(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new Breach(complaint);
}

/** A value for a message, on one line. */
export function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Error ? part.message : part,
  );
}
