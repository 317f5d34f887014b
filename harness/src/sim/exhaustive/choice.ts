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

/**
 * Goes the way that a list of choices says. What cannot come next is passed over, and after the end of the list
 * whatever came up first comes next: so that any list can be played on any lock, and made shorter.
 */
export class Script implements Chooser {
  readonly #names: readonly string[];
  #at = 0;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  choose(choices: readonly Choice[]): string | undefined {
    while (this.#at < this.#names.length) {
      const name = this.#names[this.#at++];
      if (choices.some((choice) => choice.name === name)) return name;
    }
    return choices[0]?.name;
  }

  happened(): void {}
}

/** Who takes part, and whether time may pass before what is on its way has arrived. */
export interface SearchState {
  readonly clients: readonly {
    readonly id: string;
    readonly hasBegun: boolean;
    readonly isDone: boolean;
  }[];
  readonly nodes: readonly string[];
  readonly timePasses: 'at any moment' | 'in between' | 'never';
}

/**
 * A part of the choices that is enough to go on with: nothing that the others lead to touches it before one of it has
 * come (a persistent set: Godefroid 1996, section 4). All of them where no such part is known.
 * - A client's beginning touches nobody else, unless time passes first.
 * - What arrives at a node first is from one of the clients; where each that is not done has something on its way there,
 *   whatever else they send arrives behind it.
 */
export function persistentIn(choices: readonly Choice[], cast: SearchState): readonly Choice[] {
  const { clients, nodes, timePasses } = cast;
  if (timePasses === 'at any moment') return choices;
  if (timePasses === 'never') {
    const idle = clients.filter(({ hasBegun }) => !hasBegun);
    const beginning = choices.find(({ name }) => idle.some(({ id }) => id === name));
    if (beginning !== undefined) return [beginning];
  }
  for (const node of nodes) {
    const heads = choices.filter(({ actor }) => actor === node);
    const isFrom = (id: string): boolean => heads.some(({ name }) => name === `${id}>${node}`);
    if (heads.length > 0 && clients.every(({ id, isDone }) => isDone || isFrom(id))) return heads;
  }
  return choices;
}
