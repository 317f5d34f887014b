import { type HoldMode, placeMs } from '@holdfast/core/backend';
import type { Argument, Reply, Statement } from '../port.ts';
import { payloadOf, prefixOf, type Store } from '../store.ts';
import type { Members } from './batches.ts';
import { SEPARATOR } from './line.ts';

/** What members have in common that one message is about. */
export interface SharedRequest {
  readonly key: string;
  readonly mode: HoldMode;
  /** Of the attempt. */
  readonly ttlMs: number;
}

/** The same where one message does for all. */
export function kindOf({ mode, ttlMs }: SharedRequest): string {
  return [mode.kind, ...shareOf(mode), ttlMs].join(' ');
}

/** Sends one message: what is given back, then who wants to hold. Only permits can be both. */
export function sendMembers(
  store: Store,
  request: SharedRequest,
  { owners, released, isCalled }: Members,
  deadlineMs: number,
): Promise<Reply> {
  const { acquire, acquireUncalled, release } = store.modes;
  const { kind } = request.mode;
  const run = (statement: Statement, args: readonly Argument[]): Promise<Reply> =>
    store.database.run(statement, args, { deadlineMs });
  if (owners.length === 0) return run(release, releaseArgs(store, request.key, released));
  const args = acquireArgs(store, request, store.places.inOrder(request, owners));
  if (isCalled && released.length === 0) return run(acquire[kind], args);
  return run(acquireUncalled[kind], [...args, released.join(SEPARATOR)]);
}

/** The arguments of an attempt, up to the payload. */
export function acquireArgs(
  store: Store,
  { key, mode, ttlMs }: SharedRequest,
  owners: readonly string[],
): readonly Argument[] {
  const { namespace, host } = store;
  const members = [namespace, key, owners.join(SEPARATOR), ttlMs, host.label, ...shareOf(mode)];
  return [...members, placeMs(ttlMs), prefixOf(store, key), payloadOf(store, key)];
}

export function releaseArgs(
  store: Store,
  key: string,
  released: readonly string[],
): readonly Argument[] {
  const payload = payloadOf(store, key);
  return [store.namespace, key, released.join(SEPARATOR), payload, prefixOf(store, key)];
}

/** The permits of a member, and of how many: a reader takes none of one, a writer the only one. */
function shareOf(mode: HoldMode): readonly [permits: number, outOf: number] {
  if (mode.kind === 'permits') return [mode.permits, mode.of];
  return mode.kind === 'shared' ? [0, 1] : [1, 1];
}
