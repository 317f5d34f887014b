import { ConfigError } from '@holdfast/core';
import type { HoldMode } from '@holdfast/core/backend';
import type { Subject } from '../simulator/index.ts';

type ModeOf = NonNullable<Subject['modeOf']>;

/** Every third client writes, the others read. */
export const READERS: ModeOf = (op): HoldMode =>
  op.id % 3 === 0 ? { kind: 'exclusive' } : { kind: 'shared' };

/** Every client takes one of two permits. */
const PERMITS: ModeOf = () => ({ kind: 'permits', permits: 1, of: 2 });

const CLIENTS: Readonly<Record<string, ModeOf>> = { readers: READERS, permits: PERMITS };

/**
 * How the clients of an external lock hold, by `clients` of its export `deployment`: exclusively, if it is absent.
 * @throws ConfigError for an unknown word
 */
export function clientsOf(record: unknown, backend: string): Pick<Subject, 'modeOf'> {
  if (typeof record !== 'object' || record === null || !('clients' in record)) return {};
  const { clients } = record;
  const modeOf = Object.entries(CLIENTS).find(([name]) => name === clients)?.[1];
  if (modeOf !== undefined) return { modeOf };
  const names = Object.keys(CLIENTS).map((name) => `'${name}'`);
  const message = `"${backend}" cannot be simulated: its export deployment has unknown clients; write ${names.join(' or ')}`;
  throw new ConfigError(message, { backend });
}
