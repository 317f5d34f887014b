import { openMemory } from '@holdfast/core';
import type { BackendModule } from './module.ts';

/** Opening it connects nothing, so nothing has to be known before. */
export const memoryModule: BackendModule = {
  open: (_config, host) => openMemory({}, host),
};
