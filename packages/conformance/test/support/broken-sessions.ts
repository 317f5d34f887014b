import type { Contender } from '@holdfast/core/backend';
import { type Place, SessionStore } from './session-store.ts';
import type { SpoiltSession } from './session-subject.ts';
import { attempting, contending, granting } from './spoil.ts';

/** A session lock with one mistake: its behaviour, the rule that must detect it, and its construction. */
export type BrokenSession = readonly [does: string, rule: string, spoilt: SpoiltSession];

/** Puts a newcomer before the waiters that have not attempted again since the last holder left. */
class PushyStore extends SessionStore {
  readonly #served = new Set<Place>();

  override enter(key: string, session: number, owner: string): Place {
    const [first] = this.places(key);
    const isFree = first === undefined || !this.#served.has(first);
    const isNew = !this.places(key).some((place) => place.owner === owner);
    const waiting = isFree && isNew ? this.places(key) : [];
    for (const place of waiting) this.leave(key, place);
    const own = super.enter(key, session, owner);
    for (const place of waiting) super.enter(key, place.session, place.owner);
    if (this.places(key)[0] === own) this.#served.add(own);
    return own;
  }
}

export const BROKEN_SESSIONS: readonly BrokenSession[] = [
  [
    'queues again with every attempt',
    'a queue serves waiters in the order of arrival, not of their attempts',
    {
      backend: (backend) =>
        contending(backend, (contender, { key }) => {
          let current: Contender = contender;
          let attempts = 0;
          return {
            attempt: async (deadlineMs) => {
              attempts += 1;
              await current.withdraw();
              current = backend.contend({ key, contender: `again-${attempts}` });
              return await current.attempt(deadlineMs);
            },
          };
        }),
    },
  ],
  [
    'leaves its place behind when it leaves',
    'when a waiter leaves the queue, the waiters behind it move up in their order',
    {
      backend: (backend) =>
        contending(backend, () => ({ withdraw: async () => ({ kind: 'clean' }) })),
    },
  ],
  [
    'gives its place up unless it is the first',
    'a waiter that withdraws at its turn, before its attempt, lets the next one acquire',
    {
      backend: (backend, { store }) =>
        contending(backend, (contender, { key, contender: id }) => ({
          withdraw: async () => {
            const isFirst = store.places(key)[0]?.owner.startsWith(id) === true;
            return isFirst ? { kind: 'clean' } : await contender.withdraw();
          },
        })),
    },
  ],
  [
    'lets in whoever comes while nobody holds the key',
    'a contender that arrives after a release queues behind the waiters, although the key is free',
    { store: () => new PushyStore() },
  ],
  [
    'never proves anew that its session lives',
    'a lease that is renewed outlives the first timeout of its session',
    {
      backend: (backend) =>
        granting(backend, ({ validity }) => ({
          renew: async () => ({ kind: 'renewed', validity }),
        })),
    },
  ],
  [
    'tells nobody that its session has ended',
    'the end of a session is reported to its leases, also to listeners that are added afterwards',
    { backend: (backend) => granting(backend, () => ({ onLost: () => () => {} })) },
  ],
  [
    'tells only those who listened in time',
    'the end of a session is reported to its leases, also to listeners that are added afterwards',
    {
      backend: (backend) =>
        granting(backend, (grant) => {
          let isLost = false;
          grant.onLost?.(() => void (isLost = true));
          return {
            onLost: (listener) => (isLost ? () => {} : (grant.onLost?.(listener) ?? (() => {}))),
          };
        }),
    },
  ],
  [
    'goes on asking in a session that has ended',
    'a process whose session has ended can lock again',
    {
      backend: (backend, { store, session }) =>
        attempting(backend, (attempt) =>
          store.isLive(session) ? attempt : { kind: 'unavailable', cause: 'expired' },
        ),
    },
  ],
  [
    'believes in its place for longer than its session lives',
    'a waiter whose session has ended blocks no other, and gets a new turn',
    {
      backend: (backend, { store, session }) =>
        attempting(backend, (attempt) => (store.isLive(session) ? attempt : { kind: 'busy' })),
    },
  ],
];
