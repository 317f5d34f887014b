import { allocation } from './allocation/section.ts';
import { familyOnPostgres } from './family/postgres-section.ts';
import { family } from './family/section.ts';
import { holding } from './holding/section.ts';
import { hotKey } from './hot-key/section.ts';
import { inFlight } from './in-flight/section.ts';
import type { Section } from './section.ts';
import { simulator } from './sim/section.ts';
import { slowNode } from './slow-node.ts';
import { zookeeper } from './zk/section.ts';

/** The parts of `npm run bench`, in the order in which they are measured and shown: what a lock costs. */
export const USUAL: readonly Section[] = [
  inFlight,
  allocation,
  hotKey,
  holding,
  slowNode,
  zookeeper,
];

/** Those that can be named; the last three are measured only then. */
export const SECTIONS: readonly Section[] = [...USUAL, family, familyOnPostgres, simulator];
