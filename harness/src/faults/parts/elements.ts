import type { ClientId, Fault, When } from '../../sim/schedule/schedule.ts';

/** Fields that many faults have. */
export interface ClientField extends Fault {
  readonly client: ClientId;
}

/** `nodes` is a mask: bit 0 is `n1`. A fault of several nodes is one element, so that it shrinks as one. */
export interface NodesField extends Fault {
  readonly nodes: number;
}

export interface WhenField extends Fault {
  readonly when: When;
}

/** A duration, or the size of a clock jump. */
export interface DurationField extends Fault {
  readonly ms: number;
}
