/** A step that may come next in a steered run. */
export interface Choice {
  /**
   * `a`: a step of client a's own; `a timer`: its next due timer fires; `a>n1`: the next message from a to n1 arrives
   * and takes effect; `1002 ms`: time passes until then, counted from the start.
   */
  readonly name: string;
  /** The client or node that it happens to; undefined: all of them. */
  readonly actor: string | undefined;
}

/** A choice that was made, and the facts known once it has happened. */
export interface ChosenStep extends Choice {
  /** True if judges see it: it began or ended a lease, or a critical section. */
  readonly isSeen: boolean;
}

/**
 * Returns true if two steps that could both come next have the same result in either order. Steps of different actors
 * do: at most, one adds to the far end of a channel of which the other takes the near end. Two steps that are both
 * seen do not commute, since judges compare the leases of all clients.
 */
export function commute(a: ChosenStep, b: ChosenStep): boolean {
  if (a.actor === undefined || b.actor === undefined) return false;
  return a.actor !== b.actor && !(a.isSeen && b.isSeen);
}

/** Chooses the steps of a run. */
export interface Chooser {
  /** Returns one of the names; undefined abandons the run. Never called without choices. */
  choose(choices: readonly Choice[]): string | undefined;
  /** Called once the latest choice has happened, with all effects of it. */
  happened(step: ChosenStep): void;
}

/**
 * Follows a list of choices. It skips a choice that cannot come next. After the end of the list, the choice that came
 * up first is next. So any list can be played on any lock, and be shortened.
 */
export class ScriptedChooser implements Chooser {
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

/** The participants, and whether time may pass before messages on their way have arrived. */
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
 * Returns a part of the choices that is enough to explore. Nothing that the other choices lead to touches this part
 * before one of it has come (a persistent set: Godefroid 1996, section 4). Returns all of them if no such part is
 * known.
 * - A client's beginning touches no other client, unless time passes first.
 * - The message that arrives at a node first is from one of the clients. If each client that is not done has a
 *   message on its way there, all its later messages arrive behind that one.
 */
export function persistentIn(choices: readonly Choice[], state: SearchState): readonly Choice[] {
  const { clients, nodes, timePasses } = state;
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
