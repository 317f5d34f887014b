import { type Grant, MemoryStore, type Release } from '@holdfast/core/backend';
import { forAll } from './for-all.ts';
import type { Spoilt } from './memory-subject.ts';
import { adopting, attempting, but, contending, granting } from './spoil.ts';

/**
 * A lock with one mistake: its behaviour, the rule that must detect it, and its construction from the correct lock.
 */
export type Broken = readonly [does: string, rule: string, spoilt: Spoilt];

const never = (): Promise<never> => new Promise(() => undefined);
const MINUTE_MS = 60_000;
const notHeld = async (): Promise<Release> => ({ kind: 'not-held' });

/** Another name for every key. */
function keyed(name: (key: string) => string): Spoilt {
  return {
    backend: (backend) =>
      but(backend, {
        contend: (request) => backend.contend({ ...request, key: name(request.key) }),
      }),
  };
}

/** A store that keeps a hold for so much of its ttl. */
function keeping(share: number): Spoilt {
  class Store extends MemoryStore {
    override acquire(
      ...[key, owner, ttlMs]: Parameters<MemoryStore['acquire']>
    ): ReturnType<MemoryStore['acquire']> {
      return super.acquire(key, owner, ttlMs * share);
    }
  }
  return { store: (nowMs) => new Store(nowMs) };
}

/** Renews by acquiring the key anew, for the requested ttl. */
class ShorteningStore extends MemoryStore {
  override renew(key: string, owner: string, ttlMs: number): boolean {
    return this.release(key, owner) && this.acquire(key, owner, ttlMs).kind === 'granted';
  }
}

/** Writes one owner value for all attempts of a contender. */
class ReusingStore extends MemoryStore {
  override acquire(
    ...[key, owner, ttlMs]: Parameters<MemoryStore['acquire']>
  ): ReturnType<MemoryStore['acquire']> {
    return super.acquire(key, first(owner), ttlMs);
  }

  override renew(key: string, owner: string, ttlMs: number): boolean {
    return super.renew(key, first(owner), ttlMs);
  }

  override release(key: string, owner: string): boolean {
    return super.release(key, first(owner));
  }
}

/** Undoes by the contender, not by its attempt. */
class SameContenderStore extends MemoryStore {
  override release(key: string, owner: string): boolean {
    const held = this.inspect(key)?.owner;
    const isOurs = held !== undefined && first(held) === first(owner);
    return super.release(key, isOurs ? held : owner);
  }
}

/** A store that replaces a hold if `isExported` says so. */
function adoptingIf(isExported: (stored: string, exported: string) => boolean): Spoilt {
  class Store extends MemoryStore {
    override adopt(
      ...[key, exported, owner, ttlMs]: Parameters<MemoryStore['adopt']>
    ): ReturnType<MemoryStore['adopt']> {
      const stored = this.inspect(key)?.owner ?? '';
      return super.adopt(key, isExported(stored, exported) ? stored : exported, owner, ttlMs);
    }
  }
  return { store: (nowMs) => new Store(nowMs) };
}

/** Adopts by lengthening the hold of the exporter. */
class KeepingStore extends MemoryStore {
  override adopt(
    ...[key, exported, owner, ttlMs]: Parameters<MemoryStore['adopt']>
  ): ReturnType<MemoryStore['adopt']> {
    const adopted = super.adopt(key, exported, owner, ttlMs);
    if (adopted?.kind !== 'granted') return adopted;
    super.adopt(key, owner, exported, ttlMs);
    return adopted;
  }
}

const contenderOf = (owner: string): string => owner.replace(/:.*$/, '');

const first = (owner: string): string => owner.replace(/:\d+:/, ':1:');

const renewing = (
  renew: (grant: Grant, ttlMs: number) => ReturnType<Required<Grant>['renew']>,
): Spoilt => ({
  backend: (backend) => granting(backend, (grant) => ({ renew: (ttlMs) => renew(grant, ttlMs) })),
});

/** With grants that can be released to the next attempt. */
export const releasingToNext = (
  releaseToNext: (grant: Grant, key: string, store: MemoryStore) => Promise<Release>,
): Spoilt => ({
  backend: (backend, { store }) =>
    granting(backend, (grant, { key }) => ({
      releaseToNext: () => releaseToNext(grant, key, store),
    })),
});

const releasing = (
  release: (grant: Grant, key: string, store: MemoryStore) => Promise<Release>,
): Spoilt => ({
  backend: (backend, { store }) =>
    granting(backend, (grant, { key }) => ({ release: () => release(grant, key, store) })),
});

const lostOr = async (grant: Grant, ttlMs: number): ReturnType<Required<Grant>['renew']> =>
  (await grant.renew?.(ttlMs)) ?? { kind: 'lost' };

/** A renewal that finds the key free acquires it again. */
const recreating: Spoilt = {
  backend: (backend, { host, store }) =>
    granting(backend, (grant, { key }) => ({
      renew: async (ttlMs) => {
        const from = host.runtime.now();
        const renewal = await lostOr(grant, ttlMs);
        if (renewal.kind !== 'lost' || store.acquire(key, grant.owner, ttlMs).kind === 'busy')
          return renewal;
        return { kind: 'renewed', validity: { from, ms: ttlMs / 2 } };
      },
    })),
};

const keys = new WeakMap<MemoryStore, Set<string>>();

/** The keys that were seen on one store, by any process. */
function keysOf(store: MemoryStore): Set<string> {
  const seen = keys.get(store) ?? new Set();
  keys.set(store, seen);
  return seen;
}

const ADOPTED_ONCE =
  'an exported hold is adopted once, under a larger token, and its exporter affects it no more';
const ADOPTION_IN_DOUBT =
  'an adoption whose reply was lost is repeated by its adopter, and given up it frees the key';
const ADOPTS_THE_EXPORTED =
  'an adoption takes neither a free key nor a hold that is not exactly the exported one';

export const BROKEN: readonly Broken[] = [
  [
    'takes only the first of several keys',
    'several keys in one step: all are granted, each with a grant of its own',
    forAll({ grantsFirst: true }),
  ],
  [
    'keeps what it took of several keys when one is busy',
    'several keys in one step: if one is taken, it is named, and the others stay free',
    forAll({ keepsTaken: true }),
  ],
  [
    'does not say which of several keys is taken',
    'several keys in one step: if one is taken, it is named, and the others stay free',
    forAll({ namesNone: true }),
  ],
  [
    'gives old tokens for several keys',
    'several keys in one step: each token is larger than that of the last grant of its key',
    forAll({ oldTokens: true }),
  ],
  [
    'lets in again whoever is in the same process',
    'a free key is granted; to all other contenders, in this or another process, it is busy',
    {
      backend: (backend) => {
        const grants = new Map<string, Grant>();
        return attempting(backend, (attempt, { key }) => {
          const held = grants.get(key);
          if (attempt.kind === 'granted') grants.set(key, attempt.grant);
          return attempt.kind === 'busy' && held !== undefined
            ? { kind: 'granted', grant: held }
            : attempt;
        });
      },
    },
  ],
  [
    'looks whether the key is free, and takes it in a second step',
    'of many concurrent contenders at most one is granted the key, which is then held',
    {
      backend: (backend, { store }) =>
        contending(backend, (contender, { key }) => ({
          attempt: async (deadlineMs) => {
            const seen = await backend.inspect?.(key);
            if (seen?.held === true) return { kind: 'busy' };
            const attempt = await contender.attempt(deadlineMs);
            if (attempt.kind !== 'busy') return attempt;
            store.force(key);
            return await contender.attempt(deadlineMs);
          },
        })),
    },
  ],
  [
    'has one lock for all keys',
    'keys do not block each other, and releasing one leaves the other held',
    keyed(() => 'the lock'),
  ],
  ...[
    keyed((key) => key.toLowerCase()),
    keyed((key) => key.trim()),
    keyed((key) => key.normalize('NFC')),
    keyed((key) => key.slice(0, 500)),
    keyed((key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%25', '%')),
    keyed((key) => /\{(.+?)\}/.exec(key)?.[1] ?? key),
  ].map(
    (spoilt, i): Broken => [
      `mixes up keys in its own way no. ${i + 1}`,
      'keys that differ in any character are different keys, unusual and longest ones too',
      spoilt,
    ],
  ),
  [
    'writes the label of the process and nothing else',
    'two grants of a key have two owner values',
    { backend: (backend) => granting(backend, () => ({ owner: 'me' })) },
  ],
  [
    'says that it has released, and has not',
    'a released key is free at once, for its old holder and for others',
    releasing(async () => ({ kind: 'released' })),
  ],
  [
    'releases whatever stands there when it is asked again',
    'a second release is not-held, and does not affect the next holder',
    releasing(async (grant, key, store) => {
      const release = await grant.release();
      return release.kind === 'not-held' && store.force(key) ? { kind: 'released' } : release;
    }),
  ],
  [
    'keeps what it has released to the next attempt',
    'a hold is released to the next attempt for its key, and alone if none follows',
    releasingToNext(async () => ({ kind: 'released' })),
  ],
  [
    'gives the hold of another client to the next attempt',
    'a hold that is over is released to nobody, and the hold of another client stays',
    releasingToNext(async (_, key, store) => ({
      kind: store.force(key) ? 'released' : 'not-held',
    })),
  ],
  [
    'measures validity from the reply',
    'a grant is valid from its send time, and for less than the store keeps it',
    {
      backend: (backend, { host }) =>
        granting(backend, ({ validity }) => ({
          validity: { ...validity, from: host.runtime.now() },
        })),
    },
  ],
  [
    'leaves no margin for clocks that differ',
    'a grant is valid from its send time, and for less than the store keeps it',
    {
      backend: (backend) =>
        granting(backend, ({ validity, leaseMs }) => ({ validity: { ...validity, ms: leaseMs } })),
    },
  ],
  [
    'measures a renewed validity from the reply',
    'a renewal is valid from its send time, and for less than the store keeps it',
    {
      backend: (backend, { host }) =>
        granting(backend, (grant) => ({
          renew: async (ttlMs) => {
            const renewal = await lostOr(grant, ttlMs);
            if (renewal.kind !== 'renewed') return renewal;
            return { ...renewal, validity: { ...renewal.validity, from: host.runtime.now() } };
          },
        })),
    },
  ],
  [
    'says that it has renewed, and has not',
    'a renewed lease outlives its first ttl',
    {
      backend: (backend, { host }) =>
        granting(backend, () => ({
          renew: async (ms) => ({ kind: 'renewed', validity: { from: host.runtime.now(), ms } }),
        })),
    },
  ],
  [
    'renews by cutting the hold to what was asked',
    'a renewal by a shorter ttl does not shorten the hold',
    { store: (nowMs) => new ShorteningStore(nowMs) },
  ],
  [
    'lets a lease end in the store before its holder knows',
    'a lease without renewal ends: the next client acquires the key, but never within the validity',
    keeping(1 / 2),
  ],
  [
    'never lets the lease of a dead holder end',
    'a lease without renewal ends: the next client acquires the key, but never within the validity',
    keeping(1_000),
  ],
  [
    'tells every old holder that its lease was renewed',
    'after a takeover the old holder’s renewal is lost, and does not affect the new holder',
    renewing(async (grant, ttlMs) => {
      await grant.renew?.(ttlMs);
      return { kind: 'renewed', validity: grant.validity };
    }),
  ],
  [
    'releases by key, and not by owner',
    'after a takeover the old holder’s release is not-held, and does not affect the new holder',
    releasing(async (_grant, key, store) => ({ kind: store.force(key) ? 'released' : 'not-held' })),
  ],
  [
    'knows only the first owner that a key ever had',
    'a lease taken over after expiry is released by its new owner, and then the key is free',
    {
      backend: (backend, { store }) =>
        granting(backend, (_grant, { key }) => {
          const isFirst = !keysOf(store).has(key);
          keysOf(store).add(key);
          return isFirst ? {} : { release: async () => ({ kind: 'not-held' }) };
        }),
    },
  ],
  [
    'takes a lease again that ended, as if it had only been renewed',
    'a late renewal does not restore a lease that has ended',
    recreating,
  ],
  [
    'adopts a hold, and leaves it under the owner value of its exporter',
    ADOPTED_ONCE,
    { store: (nowMs) => new KeepingStore(nowMs) },
  ],
  [
    'gives an adopter the token of the exporter',
    ADOPTED_ONCE,
    {
      backend: (backend) =>
        adopting(backend, (adopter) => ({
          attempt: async (deadlineMs) => {
            const attempt = await adopter.attempt(deadlineMs);
            if (attempt.kind !== 'granted') return attempt;
            return { kind: 'granted', grant: { ...attempt.grant, fencingToken: 1n } };
          },
        })),
    },
  ],
  ['adopts whatever is stored under the key', ADOPTS_THE_EXPORTED, adoptingIf(() => true)],
  [
    'compares no more of an exported value than its contender',
    ADOPTS_THE_EXPORTED,
    adoptingIf((stored, exported) => contenderOf(stored) === contenderOf(exported)),
  ],
  [
    'adopts a key that is free',
    ADOPTS_THE_EXPORTED,
    {
      backend: (backend) =>
        adopting(backend, (adopter, request) => ({
          attempt: async (deadlineMs) => {
            const attempt = await adopter.attempt(deadlineMs);
            if (attempt.kind !== 'refused') return attempt;
            const outcome = await backend.contend(request).attempt(deadlineMs);
            return outcome.kind === 'busy' ? attempt : outcome;
          },
        })),
    },
  ],
  [
    'undoes an adoption in doubt before it tries again',
    ADOPTION_IN_DOUBT,
    {
      backend: (backend, { store }) =>
        adopting(backend, (adopter, { key }) => ({
          attempt: async (deadlineMs) => {
            const attempt = await adopter.attempt(deadlineMs);
            if (attempt.kind === 'unknown') store.force(key);
            return attempt;
          },
        })),
    },
  ],
  [
    'gives up an adoption in doubt, and leaves what it has stored',
    ADOPTION_IN_DOUBT,
    {
      backend: (backend) =>
        adopting(backend, () => ({ withdraw: () => Promise.resolve({ kind: 'clean' }) })),
    },
  ],
  [
    'gives the same token to everybody',
    'fencing tokens grow with every grant of a key, for any holder and any end of the last hold',
    { backend: (backend) => granting(backend, () => ({ fencingToken: 7n })) },
  ],
  [
    'counts its tokens in every process for itself',
    'fencing tokens grow with every grant of a key, for any holder and any end of the last hold',
    {
      backend: (backend) => {
        let token = 0n;
        return granting(backend, () => ({ fencingToken: ++token }));
      },
    },
  ],
  [
    'gives a new holder the token of the one whose lease ended',
    'a new holder’s fencing token is larger than that of the holder whose lease expired',
    { backend: (backend) => granting(backend, () => ({ fencingToken: 7n })) },
  ],
  [
    'hands out tokens that it does not promise',
    'a backend that promises no fencing hands out no token',
    { capabilities: { fencing: 'none' } },
  ],
  [
    'could wake its waiters, and says that they must poll',
    'contenders can be woken exactly if capabilities say push',
    { capabilities: { wakeUp: 'poll' } },
  ],
  [
    'tells a waiter of nothing once it is subscribed',
    'a release wakes the waiters',
    {
      backend: (backend) =>
        contending(backend, (contender) => {
          let isFirst = true;
          return {
            changed: async (signal) => {
              if (isFirst) await contender.changed?.(signal);
              else await new Promise((done) => signal.addEventListener('abort', done));
              isFirst = false;
            },
          };
        }),
    },
  ],
  [
    'tells a waiter only of what happens while it waits',
    'a release between an attempt and its wait is not missed',
    {
      backend: (backend, { store }) =>
        contending(backend, (contender, { key }) => {
          let isFirst = true;
          return {
            changed: async (signal) => {
              if (isFirst) await contender.changed?.(signal);
              else await new Promise<void>((done) => store.subscribe(key, done));
              isFirst = false;
            },
          };
        }),
    },
  ],
  [
    'ends every wait at once',
    'a wait without a change lasts: a waiter does not spin',
    { backend: (backend) => contending(backend, () => ({ changed: async () => {} })) },
  ],
  [
    'rejects a wait that is aborted',
    'an aborted wait resolves, aborted before it begins or while it lasts',
    {
      backend: (backend) =>
        contending(backend, (contender) => ({
          changed: async (signal) => {
            await contender.changed?.(signal);
            signal.throwIfAborted();
          },
        })),
    },
  ],
  [
    'calls itself a queue, and serves whoever tries first',
    'a queue serves waiters in the order of arrival, not of their attempts',
    { capabilities: { queue: 'fifo' } },
  ],
  [
    'leaves a place in the line behind, which then gets the key',
    'a contender that withdraws leaves nothing stored, and blocks no other',
    {
      backend: (backend, { store }) =>
        attempting(backend, (attempt, { key, contender }) => {
          if (attempt.kind === 'busy')
            store.subscribe(key, () => store.acquire(key, `${contender}:9:`, MINUTE_MS));
          return attempt;
        }),
    },
  ],
  [
    'takes a place in the line before anybody has tried',
    'a contender without an attempt withdraws cleanly',
    {
      backend: (backend, { store }) =>
        contending(backend, (_contender, { key, contender }) => {
          store.acquire(key, `${contender}:0:`, MINUTE_MS);
          return {};
        }),
    },
  ],
  [
    'grants what it did not even ask the store for, when time is up',
    'an attempt whose deadline has passed settles, and leaves nothing stored unless it was granted',
    {
      backend: (backend, { host }) =>
        contending(backend, (contender, { key }) => ({
          attempt: async (deadlineMs) => {
            const from = host.runtime.now();
            if (from.monotonicMs < deadlineMs) return await contender.attempt(deadlineMs);
            const grant = {
              owner: key,
              leaseMs: 1_000,
              validity: { from, ms: 900 },
              release: notHeld,
            };
            return { kind: 'granted', grant };
          },
        })),
    },
  ],
  [
    'waits for an answer for as long as it takes',
    'an attempt on a store that does not reply ends by its call deadline, and is not granted',
    {
      backend: (backend) =>
        attempting(backend, (attempt) => (attempt.kind === 'unknown' ? never() : attempt)),
    },
  ],
  [
    'goes by its own call deadline, however soon its caller wants to know',
    'an attempt on a store that does not reply ends by the deadline of the caller',
    {
      backend: (backend) =>
        contending(backend, (contender) => ({
          attempt: () => contender.attempt(Number.MAX_SAFE_INTEGER),
        })),
    },
  ],
  [
    'takes silence for somebody else’s lock',
    'an attempt on a store that does not reply ends by its call deadline, and is not granted',
    {
      backend: (backend) =>
        attempting(backend, (attempt) => (attempt.kind === 'unknown' ? { kind: 'busy' } : attempt)),
    },
  ],
  [
    'takes silence for the loss of the lease',
    'a renewal and a release without a reply end by their call deadline as unknown',
    renewing(async (grant, ttlMs) => {
      const renewal = await lostOr(grant, ttlMs);
      return renewal.kind === 'unknown' ? { kind: 'lost' } : renewal;
    }),
  ],
  [
    'says that it has withdrawn cleanly, whatever is in doubt',
    'a hold whose reply was lost is released by the withdrawal, or gone by the time that it reports',
    {
      backend: (backend) =>
        contending(backend, () => ({ withdraw: async () => ({ kind: 'clean' }) })),
    },
  ],
  [
    'does not know its own earlier attempt',
    'an attempt whose reply was lost does not block its own contender',
    {
      backend: (backend, { host }) =>
        contending(backend, (_contender, request) => ({
          attempt: (deadlineMs) =>
            backend.contend({ ...request, contender: host.runtime.randomId() }).attempt(deadlineMs),
        })),
    },
  ],
  [
    'writes the same for every attempt of a contender',
    'a late undo does not affect the next attempt',
    { store: (nowMs) => new ReusingStore(nowMs) },
  ],
  [
    'undoes whatever its contender holds by then',
    'a late undo does not affect the next attempt',
    { store: (nowMs) => new SameContenderStore(nowMs) },
  ],
  [
    'calls a release done that nobody has answered',
    'a release whose reply was lost is unknown, and the key becomes free',
    releasing(async (grant) => {
      const release = await grant.release();
      return release.kind === 'unknown' ? { kind: 'released' } : release;
    }),
  ],
  [
    'writes its lock into an empty store as if nothing had happened',
    'a store that restarts without its data holds nothing: a renewal is lost',
    recreating,
  ],
  [
    'shows every key as free',
    'an inspection shows the holder of a key, and no holder before and after',
    { backend: (backend) => but(backend, { inspect: async (key) => ({ key, held: false }) }) },
  ],
  [
    'lists one key of several',
    'all keys that are held are listed, by any process, and none after its release',
    {
      backend: (backend) =>
        but(backend, {
          async *heldKeys() {
            for await (const page of backend.heldKeys?.() ?? []) yield page.slice(0, 1);
          },
        }),
    },
  ],
  [
    'says that it has freed a key by force, and has not',
    'a forced release frees the key, and its old holder learns of it by its next request',
    {
      backend: (backend) =>
        but(backend, {
          forceRelease: async (key) => {
            const seen = await backend.inspect?.(key);
            return { kind: seen?.held === true ? 'released' : 'not-held' };
          },
        }),
    },
  ],
  [
    'is never well',
    'a store that replies is healthy',
    { backend: (backend) => but(backend, { health: async () => ({ ok: false, nodes: [] }) }) },
  ],
  [
    'is always well',
    'a store that does not reply is reported as unhealthy, in time',
    { backend: (backend) => but(backend, { health: async () => ({ ok: true, nodes: [] }) }) },
  ],
  [
    'grants an hour at most',
    'the shortest and the longest ttl are granted as requested',
    {
      backend: (backend) =>
        granting(backend, ({ leaseMs }) => ({ leaseMs: Math.min(leaseMs, 60 * MINUTE_MS) })),
    },
  ],
  [
    'makes of an impossible ttl one that it can keep',
    'an invalid ttl is refused before anything is sent',
    {
      backend: (backend) =>
        but(backend, {
          contend: ({ ttlMs = 1_000, ...request }) => {
            const whole = Math.round(Number.isNaN(ttlMs) ? 1_000 : ttlMs);
            return backend.contend({
              ...request,
              ttlMs: Math.min(Math.max(whole, 100), 86_400_000),
            });
          },
        }),
    },
  ],
  [
    'drops the ttl of a call, where its session has one',
    'a ttl per call is refused on a session backend',
    { capabilities: { lease: 'session' } },
  ],
  [
    'frees every key that it has seen when it is closed',
    'closing one process frees no key of another, and may be repeated',
    {
      backend: (backend, { store }) => {
        const close = async (): Promise<void> => {
          for (const key of keysOf(store)) store.force(key);
        };
        const noting = contending(backend, (_contender, { key }) => {
          keysOf(store).add(key);
          return {};
        });
        return but(noting, { close });
      },
    },
  ],
  [
    'frees its holds when it is closed, even if it should leave them',
    'closing with leavesHolds frees no hold before its validity ends, and the holds expire by themselves',
    {
      backend: (backend) => {
        const held = new Set<Grant>();
        const noting = granting(backend, (grant) => {
          held.add(grant);
          return {};
        });
        const close = async (): Promise<void> => {
          await Promise.all(Array.from(held, (grant) => grant.release()));
        };
        return but(noting, { close });
      },
    },
  ],
  [
    'never replies to an attempt after closing',
    'after closing, an attempt settles, and is granted only if it really holds',
    {
      backend: (backend) => {
        let isClosed = false;
        return but(
          contending(backend, (contender) => ({
            attempt: (deadlineMs) => (isClosed ? never() : contender.attempt(deadlineMs)),
          })),
          { close: async () => void (isClosed = true) },
        );
      },
    },
  ],
  [
    'waits for pending releases before it closes, however long that takes',
    'closing settles within its limit, even if the store does not reply and a release is unknown',
    {
      backend: (backend) => {
        const pending = new Set<Promise<unknown>>();
        const counting = granting(backend, (grant) => ({
          release: () => {
            const release = grant.release();
            pending.add(release.then(({ kind }) => (kind === 'unknown' ? never() : undefined)));
            return release;
          },
        }));
        return but(counting, { close: async () => void (await Promise.all(pending)) });
      },
    },
  ],
];
