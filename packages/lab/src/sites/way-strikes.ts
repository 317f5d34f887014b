import type { SiteParts, Strike } from './site.ts';
import type { Ways } from './ways.ts';

/** Who waits when the holder leaves. */
const WAITER = 1;
/** Several times within a ttl. */
const AGAIN_SHARE = 1 / 6;
/** Who rests most of the time asks for the lock next, and only then gives it back: so many replies pass in turns, lest no release ever be hit. */
const PASSES = [1, 2, 0];

/** What is done again and again until it is ended. */
class Repeated {
  #timer: NodeJS.Timeout | undefined;

  begin(everyMs: number, act: () => Promise<unknown>): void {
    // What fails when all is closed has nothing left to do.
    this.#timer = setInterval(() => void act().catch(() => undefined), everyMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Applied, but the reply is lost, and the connection with it. */
export function lostReplies(ways: Ways, { ttlMs }: SiteParts): Strike {
  const repeated = new Repeated();
  let losses = 0;
  const lose = (): Promise<void> => ways.loseReplies(PASSES[losses++ % PASSES.length] ?? 0);
  return {
    told: 'again and again every client loses a reply that it waits for, and its connection',
    strike: async () => {
      await lose();
      repeated.begin(ttlMs * AGAIN_SHARE, lose);
    },
    heal: async () => {
      repeated.end();
      await ways.heal();
    },
  };
}

/** The holder leaves, and whoever waits is not told: `subscribed` where that is a connection of its own. */
export function lostWakeUp(ways: Ways, only: 'standing' | 'subscribed'): Strike {
  return {
    told: 'the connection on which the waiting client would be told goes silent, and the holder leaves',
    holderLeaves: true,
    isUntold: true,
    faulted: [WAITER],
    ...(only === 'standing' && { alsoStrikes: [WAITER] }),
    strike: () => ways.silence([WAITER], only),
    heal: () => ways.heal({ drop: true }),
  };
}

/** Servers are clogged one by one, and freed in another order. */
export function swizzle(ways: Ways, size: number, { ttlMs }: SiteParts): Strike {
  const servers = Array.from({ length: size }, (_, index) => index);
  // One alone is free when all is over.
  const freed = size === 1 ? [] : [...servers.slice(1), 0];
  const repeated = new Repeated();
  return {
    told:
      size === 1
        ? 'the server is out of reach for all'
        : 'the servers are put out of reach one by one, and freed in another order',
    strike: async () => {
      const acts = [
        ...servers.map((server) => () => ways.clog(server)),
        ...freed.map((server) => () => ways.free(server)),
      ];
      const everyMs = ttlMs / acts.length;
      await acts.shift()?.();
      repeated.begin(everyMs, async () => await acts.shift()?.());
    },
    heal: async () => {
      repeated.end();
      await ways.heal();
    },
  };
}
