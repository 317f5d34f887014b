import type { PropertyId } from '@holdfast/core/backend';
import { isUnbounded } from '../check/span.ts';
import { conflictOf } from './caption.ts';
import type { Conflict } from './conflict.ts';
import { lengthOf } from './format.ts';
import { headlineOf } from './headline.ts';
import type { Scene } from './scene.ts';

/** The lesson of a scene, in one sentence. */
export function meaningOf(scene: Scene): string {
  const { outcome } = headlineOf(scene);
  if (
    scene.complaints !== undefined &&
    scene.complaints.length > 0 &&
    outcome === 'breaks' &&
    conflictOf(scene) === undefined
  )
    return `The lock excludes, but does not serve everyone: ${scene.complaints[0]}${because(scene)}.`;
  if (outcome === 'late') return late(scene);
  if (outcome === 'breaks') return scene.property === 'resource' ? damaged(scene) : broken(scene);
  if (scene.unproved !== undefined && outcome === 'nothing')
    return `Under this schedule ${scene.unproved}, so nothing follows from it.`;
  if (outcome === 'nothing') return 'The history is not reliable, so nothing follows from it.';
  return `Under this schedule the lock holds${scene.faults.length > 0 ? ', despite the fault' : ''}.`;
}

function broken(scene: Scene): string {
  const conflict = conflictOf(scene);
  const other = otherViolation(scene, conflict);
  if (other !== undefined) return `${capital(other)}${because(scene)}.`;
  if (conflict === undefined) return `The lock let two clients in at once${because(scene)}.`;
  const { key, first, second } = conflict;
  const leftMs = leftOf(scene, conflict);
  const left = leftMs === undefined ? 'was valid' : `had ${lengthOf(leftMs)} left`;
  const when = isUnbounded(0, leftMs ?? 0)
    ? `before ${first} had released it`
    : `while ${first}'s lease ${left}`;
  return `The lock granted ${key} to ${second} ${when}${because(scene)}; ${fencing(scene, conflict)}.`;
}

const OTHER_PROPERTIES: ReadonlySet<PropertyId> = new Set(['fifo', 'ownership', 'answers']);

/** The violation of a property other than exclusion: the property of the story, or any if there is no conflict. */
function otherViolation(
  { property, verdicts }: Scene,
  conflict: Conflict | undefined,
): string | undefined {
  const verdict = verdicts.find(
    (each) =>
      each.kind === 'violated' &&
      OTHER_PROPERTIES.has(each.property) &&
      (each.property === property || conflict === undefined),
  );
  return verdict?.message;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The remaining validity of the first client when the second acquired the key. */
function leftOf({ history }: Scene, { key, first, fromMs }: Conflict): number | undefined {
  const claim = history.findLast(
    (event) =>
      'validUntilMs' in event &&
      event.client === first &&
      event.key === key &&
      event.atMs <= fromMs,
  );
  if (claim === undefined || !('validUntilMs' in claim)) return undefined;
  return Number.isFinite(claim.validUntilMs) ? claim.validUntilMs - fromMs : undefined;
}

function late(scene: Scene): string {
  const conflict = conflictOf(scene);
  const { first = 'the holder', second = 'another' } = conflict ?? {};
  return `${first} continued after its lease had ended, and the lock granted the key to ${second}, as it should; ${fencing(scene, conflict)}.`;
}

function damaged(scene: Scene): string {
  const verdict = scene.verdicts.find(
    ({ property, kind }) => property === 'resource' && kind === 'violated',
  );
  return `${verdict?.message ?? 'The resource was damaged'}${because(scene)}.`;
}

/** The effect of a resource that compares tokens, by the tokens that the lock issued. */
function fencing({ history }: Scene, conflict: Conflict | undefined): string {
  const tokenOf = (client: string | undefined): bigint | undefined => {
    const grant = history.findLast(
      (event) =>
        event.type === 'granted' &&
        event.token !== undefined &&
        (conflict === undefined || (event.client === client && event.atMs <= conflict.fromMs)),
    );
    return grant?.type === 'granted' && grant.token !== undefined ? BigInt(grant.token) : undefined;
  };
  const [first, second] = [tokenOf(conflict?.first), tokenOf(conflict?.second)];
  if (first === undefined || second === undefined)
    return 'it issues no fencing token, so a resource cannot tell them apart';
  if (conflict !== undefined && first === second)
    return 'both have the same fencing token, so a resource cannot tell them apart';
  if (first > second)
    return `a resource that compares fencing tokens would refuse ${conflict?.second}, whose token is the smaller one`;
  return `a resource that compares fencing tokens would refuse what ${conflict?.first ?? 'the holder'} writes after that`;
}

function because({ faults }: Scene): string {
  const reasons = [...new Set(faults.flatMap(({ reason }) => reason ?? []))];
  return reasons.length === 0 ? '' : `, because ${reasons.join(', and ')}`;
}
