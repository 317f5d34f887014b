import type { FaultId } from '@holdfast/core';
import type { Client } from '../clients/client.ts';
import { hostMs } from '../clock.ts';
import { type Blow, HARMLESS, type Struck, strikeOf } from './blow.ts';

type Make = (struck: Struck) => Blow;

/** Faults that strike the process of a client, or what it sends; undefined where a fault strikes something else. */
export function clientBlow(fault: FaultId, struck: Struck): Blow | undefined {
  return BLOWS[fault]?.(struck);
}

const BLOWS: Readonly<Partial<Record<FaultId, Make>>> = {
  pause: ({ crew }) => ({
    ...standStill(crew.parts.victim),
    told: 'the process of the holder stands still (SIGSTOP) past its ttl',
    looksAgain: false,
    handsOver: true,
    faulted: [0],
  }),
  'pause-acquire': ({ crew }) => ({
    ...standStill(waiterOf(crew.parts.others)),
    told: 'the process of the one who waits stands still (SIGSTOP), and the holder leaves',
    holderLeaves: true,
    struck: [0, 1],
    faulted: [1],
  }),
  suspend,
  'loop-block': block,
  'holder-crash': crash,
  'client-clock': jump,
  reorder,
};

function waiterOf([waiter]: readonly Client[]): Client {
  if (waiter === undefined) throw new Error('nobody waits');
  return waiter;
}

/** SIGSTOP, and SIGCONT when it is over. */
function standStill(client: Client, waking: (stoodMs: number) => void = () => undefined): Blow {
  let atMs = 0;
  let untilMs = 0;
  return {
    ...HARMLESS,
    strike: async () => {
      atMs = client.stop();
    },
    heal: async () => {
      untilMs = hostMs();
      waking(untilMs - atMs);
      client.resume();
    },
    entries: (key) => [{ type: 'paused', atMs, untilMs, client: client.name, key }],
  };
}

/** A signal takes a moment to arrive; no clock is to go back. */
const ARRIVES_MS = 10;

function suspend({ crew }: Struck): Blow {
  const { victim } = crew.parts;
  return {
    ...standStill(victim, (stoodMs) => victim.clock?.sleep(Math.max(0, stoodMs - ARRIVES_MS))),
    told: 'the machine of the holder sleeps past the ttl (SIGSTOP, and its monotonic clock stands still, too)',
    looksAgain: false,
    handsOver: true,
    faulted: [0],
  };
}

/** Long enough to be blocked when others have been at work for a while. */
const BESIDE_MS = 150;

function block({ crew, spanMs }: Struck): Blow {
  const { victim } = crew.parts;
  let atMs = 0;
  return {
    ...HARMLESS,
    told: 'the event loop of the holder is blocked past its ttl',
    looksAgain: false,
    handsOver: true,
    faulted: [0],
    strike: async () => {
      atMs = victim.block(spanMs + BESIDE_MS);
    },
    entries: (key) => {
      const untilMs = atMs + spanMs + BESIDE_MS;
      return [{ type: 'paused', atMs, untilMs, client: victim.name, key }];
    },
  };
}

function crash({ crew }: Struck): Blow {
  const { victim } = crew.parts;
  let atMs = 0;
  return {
    ...HARMLESS,
    told: 'the process of the holder dies (kill -9)',
    lasts: false,
    goesOn: false,
    isDeadly: true,
    handsOver: true,
    faulted: [0],
    strike: async () => {
      atMs = victim.kill();
    },
    entries: (key) => [{ type: 'crashed', atMs, client: victim.name, key }],
  };
}

/** As far as the clocks of servers jump. */
const TTLS = 10;

function jump({ crew, ttlMs, n }: Struck): Blow {
  const { victim, others } = crew.parts;
  const waiter = waiterOf(others);
  const [client, byTtls, told] = (
    [
      [waiter, TTLS, 'the wall clock of the one who waits jumps ahead'],
      [victim, TTLS, 'the wall clock of the holder jumps ahead'],
      [victim, -TTLS, 'the wall clock of the holder jumps back'],
    ] as const
  )[(n - 1) % 3] ?? [waiter, TTLS, ''];
  return {
    ...HARMLESS,
    told,
    goesOn: false,
    struck: client === waiter ? [0, 1] : [0],
    faulted: [client === waiter ? 1 : 0],
    strike: async () => client.clock?.set(byTtls * ttlMs),
    heal: async () => client.clock?.set(0),
  };
}

/** What the holder sends is held back for longer than its lease, on all ways, and delivered then. */
function reorder(struck: Struck): Blow {
  const cut = strikeOf('client-cut', { ...struck, n: 1 });
  const { crew } = struck;
  if (cut === undefined) throw new Error('nothing can be held back here');
  const toResource = crew.doorOf(0);
  return {
    ...HARMLESS,
    told: 'what the holder sends, its write too, is held back past its ttl, and arrives then',
    handsOver: true,
    faulted: [0],
    strike: async () => {
      await toResource.cut('up');
      // It looks at its lease, which is valid, and writes.
      crew.parts.victim.proceed();
      await cut.strike();
    },
    heal: async () => {
      await struck.site.deliver?.();
      await toResource.heal();
    },
  };
}
