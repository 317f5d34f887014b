import type { ClientId, Fault, When } from '../../sim/schedule/schedule.ts';

/** What elements of many faults say. */
export interface OfClient extends Fault {
  readonly client: ClientId;
}

/** `nodes` is a mask: bit 0 is `n1`. What strikes several nodes at once is one element, so that it shrinks as one. */
export interface OfNodes extends Fault {
  readonly nodes: number;
}

export interface Aimed extends Fault {
  readonly when: When;
}

/** How long it lasts, or how far a clock jumps. */
export interface Lasting extends Fault {
  readonly ms: number;
}
