import * as core from '@holdfast/core';
import * as coreBackend from '@holdfast/core/backend';
import * as coreQueue from '@holdfast/core/queue';
import * as redis from '@holdfast/redis';
import * as redisPort from '@holdfast/redis/port';
import * as exhibits from '../exhibits/index.ts';
import type { ModuleTable } from './evaluate.ts';

/** What the code of a lock may import: core and the ports, and what exercises are made of. */
export const TABLE: ModuleTable = {
  '@holdfast/core': core,
  '@holdfast/core/backend': coreBackend,
  '@holdfast/core/queue': coreQueue,
  '@holdfast/redis': redis,
  '@holdfast/redis/port': redisPort,
  '@holdfast/harness/exercise': exhibits,
};
