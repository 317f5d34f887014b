import type { Choice } from './choice.ts';

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
