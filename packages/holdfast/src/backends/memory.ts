import { ConfigError } from '@holdfast/core';
import {
  type Backend,
  type Host,
  openMemory,
  redactUrl,
  StoreRecord,
} from '@holdfast/core/backend';
import * as v from 'valibot';
import { defaults, fencingEpoch, name } from '../config/fields.ts';
import type { FencingOptions, LockDefaults } from '../config/types.ts';
import type { BackendRecord } from './record.ts';

/** Locks within this process: for tests, and for one process with many tasks. */
export interface MemoryConfig extends LockDefaults, FencingOptions {
  readonly backend: 'memory';
}

export const memory: BackendRecord<MemoryConfig> = {
  isLocal: true,
  name: 'memory',
  schemes: { memory: { shown: 'memory:', config: rejectAddress } },
  schema: v.strictObject({
    backend: name('memory', 'Locks within this process.'),
    fencingEpoch,
    ...defaults,
  }),
  // Opening connects to nothing, so capabilities need not be known before.
  load: () => Promise.resolve({ open }),
};

async function open({ fencingEpoch: epoch = 0 }: MemoryConfig, host: Host): Promise<Backend> {
  const backend = await openMemory({}, host);
  // Nobody else can be in this store, so its epoch counts at once.
  if (epoch > 0 && backend.marks !== undefined)
    await new StoreRecord(backend.marks, backend.name).flip(epoch, Number.POSITIVE_INFINITY);
  return backend;
}

function rejectAddress(_url: string, rest: string): object {
  if (rest === '') return { backend: 'memory' };
  throw new ConfigError(`"memory:" has no address; remove "${redactUrl(rest)}"`);
}
