import { allocation } from './allocation/section.ts';
import { holding } from './holding/section.ts';
import { hotKey } from './hot-key/section.ts';
import { inFlight } from './in-flight/section.ts';
import type { Section } from './section.ts';
import { simulator } from './sim/section.ts';
import { slowNode } from './slow-node.ts';
import { zookeeper } from './zk/section.ts';

/** All parts of `npm run bench`, in the order in which they are measured and shown. */
export const SECTIONS: readonly Section[] = [
  inFlight,
  allocation,
  hotKey,
  holding,
  slowNode,
  zookeeper,
  simulator,
];
