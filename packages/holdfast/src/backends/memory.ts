import { ConfigError, openMemory, redactUrl } from '@holdfast/core';
import * as v from 'valibot';
import { defaults, name } from '../config/fields.ts';
import type { LockDefaults } from '../config/types.ts';
import type { BackendRecord } from './record.ts';

/** Locks within this process: for tests, and for one process with many tasks. */
export interface MemoryConfig extends LockDefaults {
  readonly backend: 'memory';
}

export const memory: BackendRecord<MemoryConfig> = {
  name: 'memory',
  schemes: { memory: { shown: 'memory:', config: rejectAddress } },
  schema: v.strictObject({ backend: name('memory', 'Locks within this process.'), ...defaults }),
  // Opening connects to nothing, so capabilities need not be known before.
  load: () => Promise.resolve({ open: (_config, host) => openMemory({}, host) }),
};

function rejectAddress(_url: string, rest: string): object {
  if (rest === '') return { backend: 'memory' };
  throw new ConfigError(`"memory:" has no address; remove "${redactUrl(rest)}"`);
}
