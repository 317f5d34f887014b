import type { Schedule } from '../schedule/schedule.ts';

/** A scope small enough to be gone through: so many clients, one round each. */
export interface Scope {
  readonly clients: number;
  /** How many addresses there are. */
  readonly nodes: number;
  /** Whether the answers of all nodes reach each client in the order of the nodes; without, several are too many. */
  readonly inOrder?: boolean;
}

const TTL_MS = 1_000;
const FIRST = 'a'.codePointAt(0) ?? 0;

/** The round of every client of a scope, in no order yet. */
export function roundsOf({ clients, nodes }: Scope): Schedule {
  return {
    v: 1,
    ttlMs: TTL_MS,
    latencyMs: 0,
    nodes,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: Array.from({ length: clients }, (_, i) => ({
      id: i + 1,
      client: String.fromCodePoint(FIRST + i),
      atMs: 0,
      holdMs: 0,
      renews: false,
    })),
    faults: [],
    choices: [],
  };
}
