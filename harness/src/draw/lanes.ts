import type { Actor, Scene } from './scene.ts';

const ORDER: readonly Actor['kind'][] = ['client', 'node', 'resource'];

/** All that have a lane: the actors of the scene, and whoever else appears in its history. */
export function lanesOf({ actors, history }: Scene): readonly Actor[] {
  const lanes = new Map(actors.map((actor) => [actor.id, actor]));
  for (const event of history) {
    add(lanes, event.client, 'client');
    if (event.type === 'write') add(lanes, event.resource, 'resource');
  }
  return [...lanes.values()].toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function add(lanes: Map<string, Actor>, id: string, kind: Actor['kind']): void {
  if (!lanes.has(id)) lanes.set(id, { id, kind, clock: [] });
}
