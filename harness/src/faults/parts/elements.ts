import type { ClientId, Fault, When } from '../../sim/schedule/schedule.ts';

/** What elements of many faults say. */
export interface ClientField extends Fault {
  readonly client: ClientId;
}

/** `nodes` is a mask: bit 0 is `n1`. What strikes several nodes at once is one element, so that it shrinks as one. */
export interface NodesField extends Fault {
  readonly nodes: number;
}

export interface WhenField extends Fault {
  readonly when: When;
}

/** How long it lasts, or how far a clock jumps. */
export interface DurationField extends Fault {
  readonly ms: number;
}
