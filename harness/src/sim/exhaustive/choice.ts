/** What may happen next in a run that is steered. */
export interface Choice {
  /**
   * `a`: a step of client a's own; `a timer`: its next timer that is due fires; `a>n1`: the next message from a to n1
   * arrives, and what comes of it; `1002 ms`: time passes until so long after the start.
   */
  readonly name: string;
  /** Whom it happens to, a client or a node; undefined: everybody. */
  readonly actor: string | undefined;
}

/** A choice that was made, and what is known once it has happened. */
export interface Step extends Choice {
  /** Whether judges see it: it began or ended a lease, or a critical section. */
  readonly isSeen: boolean;
}

/**
 * Whether two steps that could both come next come to the same in either order. Steps of different actors do: one adds,
 * at most, to the far end of a channel of which the other takes the near end. Not so where both are seen, since judges
 * compare the leases of all clients.
 */
export function commute(a: Step, b: Step): boolean {
  if (a.actor === undefined || b.actor === undefined) return false;
  return a.actor !== b.actor && !(a.isSeen && b.isSeen);
}

/** Says which way a run goes. */
export interface Chooser {
  /** One of the names; undefined leaves the run where it is. Never asked when there is nothing to choose. */
  choose(choices: readonly Choice[]): string | undefined;
  /** What was chosen last has happened, with everything that it woke. */
  happened(step: Step): void;
}
