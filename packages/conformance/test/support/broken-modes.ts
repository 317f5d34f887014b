import { type HoldMode, MemoryStore } from '@holdfast/core/backend';
import type { Broken } from './broken.ts';
import type { Spoilt } from './memory-subject.ts';
import { contending } from './spoil.ts';

type Asked = Parameters<MemoryStore['request']>;

/** A store that is asked for something else. */
function asking(other: (asked: Asked, store: MemoryStore) => Asked): Spoilt {
  class Store extends MemoryStore {
    override request(...asked: Asked): ReturnType<MemoryStore['request']> {
      return super.request(...other(asked, this));
    }
  }
  return { store: (nowMs) => new Store(nowMs) };
}

/** A reader that comes while others read is one of the crowd: it ends when the first one does. */
class CrowdStore extends MemoryStore {
  override release(key: string, owner: string): boolean {
    const isReader = this.inspect(key)?.owner.startsWith('-shared') === true;
    return super.release(key, owner) && (!isReader || this.force(key) || true);
  }
}

/** A reader keeps the others alive. */
class LivelyStore extends MemoryStore {
  readonly #ttls = new Map<string, number>();

  override request(
    ...[key, owner, ttlMs, mode, placeMs]: Asked
  ): ReturnType<MemoryStore['request']> {
    const longestMs = Math.max(ttlMs, this.#ttls.get(key) ?? 0);
    this.#ttls.set(key, longestMs);
    return super.request(key, owner, longestMs, mode, placeMs);
  }
}

/** A downgrade that releases first, so that a waiting writer gets in between. */
class GapStore extends MemoryStore {
  override downgrade(
    ...[key, exported, owner, ttlMs]: Parameters<MemoryStore['downgrade']>
  ): ReturnType<MemoryStore['downgrade']> {
    if (!super.release(key, exported)) return undefined;
    return this.request(key, owner, ttlMs, { kind: 'shared' }, 1);
  }
}

/** A store that counts by its own number of permits. */
class StubbornStore extends MemoryStore {
  override request(
    ...[key, owner, ttlMs, mode, placeMs]: Asked
  ): ReturnType<MemoryStore['request']> {
    const wider = mode.kind === 'permits' ? { ...mode, of: 5 } : mode;
    return super.request(key, owner, ttlMs, wider, placeMs);
  }
}

/** Tells only the smallest number of permits that anyone knows of, its asker included. */
class SecretiveStore extends MemoryStore {
  override request(...asked: Asked): ReturnType<MemoryStore['request']> {
    const [reply, mode] = [super.request(...asked), asked[3]];
    if (!('otherOf' in reply) || mode.kind !== 'permits') return reply;
    return { ...reply, otherOf: Math.min(reply.otherOf ?? mode.of, mode.of) };
  }
}

/** Refuses a key for the kind of lock that one in line wants. */
class HastyStore extends MemoryStore {
  readonly #kinds = new Map<string, 'shared' | 'permits'>();

  override request(...asked: Asked): ReturnType<MemoryStore['request']> {
    const [key, , , { kind }] = asked;
    const holds = this.#kinds.get(key) ?? (kind === 'permits' ? 'permits' : 'shared');
    this.#kinds.set(key, holds);
    if ((kind === 'permits') !== (holds === 'permits')) return { kind: 'other-mode', holds };
    return super.request(...asked);
  }
}

/** Makes room for whoever uses the key in another way. */
class YieldingStore extends MemoryStore {
  override request(...asked: Asked): ReturnType<MemoryStore['request']> {
    const reply = super.request(...asked);
    if (reply.kind !== 'other-mode') return reply;
    this.force(asked[0]);
    return super.request(...asked);
  }
}

/** Every reader draws a token of its own, or none does. */
const readerToken = (token: (own: bigint) => bigint): Spoilt => {
  class Store extends MemoryStore {
    override request(...asked: Asked): ReturnType<MemoryStore['request']> {
      const reply = super.request(...asked);
      if (asked[3].kind !== 'shared' || reply.kind !== 'granted' || reply.token === undefined)
        return reply;
      return { ...reply, token: token(reply.token) };
    }
  }
  return { store: (nowMs) => new Store(nowMs) };
};

const withMode = ([key, owner, ttlMs, , placeMs]: Asked, mode: HoldMode): Asked => [
  key,
  owner,
  ttlMs,
  mode,
  placeMs,
];
const BESIDE =
  'readers hold a key beside each other, and exclude every other holder until the last of them is gone';
const TOKENS =
  'a reader after a writer, and a writer after a reader, have larger tokens than those before';
const IN_ORDER =
  'readers and writers are granted the key in order of arrival: a waiting writer is passed by no reader';
let later = 0n;

/** Mistakes with readers, writers and permits. */
export const BROKEN_MODES: readonly Broken[] = [
  ['frees the key with its first reader', BESIDE, { store: (nowMs) => new CrowdStore(nowMs) }],
  [
    'lets writers in beside readers',
    BESIDE,
    asking((asked) =>
      asked[3].kind === 'exclusive' ? withMode(asked, { kind: 'shared' }) : asked,
    ),
  ],
  ['gives a reader the token of the writer before it', TOKENS, readerToken((own) => own - 1n)],
  ['gives every reader a token of its own', TOKENS, readerToken((own) => own + ++later)],
  [
    'lets the longest reader decide for all',
    'a reader that does not renew expires alone',
    { store: (nowMs) => new LivelyStore(nowMs) },
  ],
  [
    'forgets a waiter at once, so that writers starve',
    IN_ORDER,
    asking(([key, owner, ttlMs, mode]) => [key, owner, ttlMs, mode, 0]),
  ],
  [
    'keeps the place of a writer that has gone',
    'a waiting writer that withdraws, or dies, lets the readers behind it in',
    {
      backend: (backend) =>
        contending(backend, () => ({ withdraw: async () => ({ kind: 'clean' }) })),
    },
  ],
  [
    'keeps the place of a writer that has died',
    'a waiting writer that withdraws, or dies, lets the readers behind it in',
    asking(([key, owner, ttlMs, mode]) => [key, owner, ttlMs, mode, 600_000]),
  ],
  [
    'forgets what it may hold without a reply',
    'a reader’s attempt whose reply was lost is repeated by its contender, and given up it frees the key',
    {
      backend: (backend) =>
        contending(backend, () => ({ withdraw: async () => ({ kind: 'clean' }) })),
    },
  ],
  [
    'downgrades through unlocked',
    'a writer becomes a reader without a gap, once, under a larger token',
    { store: (nowMs) => new GapStore(nowMs) },
  ],
  [
    'grants one permit too many',
    'a semaphore grants its permits, and never more; a released one is granted again',
    asking((asked) =>
      asked[3].kind === 'permits' ? withMode(asked, { ...asked[3], of: asked[3].of + 1 }) : asked,
    ),
  ],
  [
    'lets those who want few pass',
    'who waits for many permits is not passed by those who want few',
    asking(([key, owner, ttlMs, mode, placeMs]) => [
      key,
      owner,
      ttlMs,
      mode,
      mode.kind === 'permits' && mode.permits > 1 ? 0 : placeMs,
    ]),
  ],
  [
    'counts by its own number of permits',
    'the smallest number of permits that a holder knows of counts for all',
    { store: (nowMs) => new StubbornStore(nowMs) },
  ],
  [
    'warns only those with the larger number of permits',
    'a contender for permits that meets another number of them warns, with the smaller one and with the larger one',
    { store: (nowMs) => new SecretiveStore(nowMs) },
  ],
  [
    'takes a key away that is used in another way',
    'a key is not held by readers and as a semaphore at once: the second is refused, the first stays',
    { store: (nowMs) => new YieldingStore(nowMs) },
  ],
  [
    'refuses whoever finds another kind in line',
    'nobody is refused because one who only waits wants the key as another kind of lock',
    { store: (nowMs) => new HastyStore(nowMs) },
  ],
];
