import type { PropertyId } from '@holdfast/core';
import { isUnbounded } from '../check/span.ts';
import { clashOf } from './caption.ts';
import type { Conflict } from './conflict.ts';
import { lengthOf } from './format.ts';
import { headlineOf } from './headline.ts';
import type { Scene } from './scene.ts';

/** What a scene teaches, in a sentence. */
export function meaningOf(scene: Scene): string {
  const { outcome } = headlineOf(scene);
  if (
    scene.complaints !== undefined &&
    scene.complaints.length > 0 &&
    outcome === 'breaks' &&
    clashOf(scene) === undefined
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
  const clash = clashOf(scene);
  const astray = astrayIn(scene, clash);
  if (astray !== undefined) return `${capital(astray)}${because(scene)}.`;
  if (clash === undefined) return `The lock let two clients in at once${because(scene)}.`;
  const { key, first, second } = clash;
  const leftMs = leftOf(scene, clash);
  const left = leftMs === undefined ? 'was valid' : `had ${lengthOf(leftMs)} left`;
  const when = isUnbounded(0, leftMs ?? 0)
    ? `before ${first} had released it`
    : `while ${first}'s lease ${left}`;
  return `The lock gave ${key} to ${second} ${when}${because(scene)}; ${fencing(scene, clash)}.`;
}

const ASTRAY: ReadonlySet<PropertyId> = new Set(['fifo', 'ownership', 'answers']);

/** What was broken that is not about two at once: by what the story is about, or else where no two were. */
function astrayIn({ property, verdicts }: Scene, clash: Conflict | undefined): string | undefined {
  const astray = verdicts.find(
    (verdict) =>
      verdict.kind === 'violated' &&
      ASTRAY.has(verdict.property) &&
      (verdict.property === property || clash === undefined),
  );
  return astray?.message;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** For how long the first had last been promised the key when the second came. */
function leftOf({ history }: Scene, { key, first, fromMs }: Conflict): number | undefined {
  const promise = history.findLast(
    (event) =>
      'validUntilMs' in event &&
      event.client === first &&
      event.key === key &&
      event.atMs <= fromMs,
  );
  if (promise === undefined || !('validUntilMs' in promise)) return undefined;
  return Number.isFinite(promise.validUntilMs) ? promise.validUntilMs - fromMs : undefined;
}

function late(scene: Scene): string {
  const clash = clashOf(scene);
  const { first = 'the holder', second = 'another' } = clash ?? {};
  return `${first} continued after its lease had ended, and the lock granted the key to ${second}, as it should; ${fencing(scene, clash)}.`;
}

function damaged(scene: Scene): string {
  const verdict = scene.verdicts.find(
    ({ property, kind }) => property === 'resource' && kind === 'violated',
  );
  return `${verdict?.message ?? 'The resource was damaged'}${because(scene)}.`;
}

/** What a resource could do about it, judged by the tokens that the lock handed out. */
function fencing({ history }: Scene, clash: Conflict | undefined): string {
  const tokenOf = (client: string | undefined): bigint | undefined => {
    const grant = history.findLast(
      (event) =>
        event.type === 'granted' &&
        event.token !== undefined &&
        (clash === undefined || (event.client === client && event.atMs <= clash.fromMs)),
    );
    return grant?.type === 'granted' && grant.token !== undefined ? BigInt(grant.token) : undefined;
  };
  const [first, second] = [tokenOf(clash?.first), tokenOf(clash?.second)];
  if (first === undefined || second === undefined)
    return 'it hands out no fencing token, so a resource cannot tell them apart';
  if (clash !== undefined && first === second)
    return 'both have the same fencing token, so a resource cannot tell them apart';
  if (first > second)
    return `a resource that compares fencing tokens would refuse ${clash?.second}, whose token is the smaller one`;
  return `a resource that compares fencing tokens would refuse what ${clash?.first ?? 'the holder'} writes after that`;
}

function because({ faults }: Scene): string {
  const reasons = [...new Set(faults.flatMap(({ reason }) => reason ?? []))];
  return reasons.length === 0 ? '' : `, because ${reasons.join(', and ')}`;
}
