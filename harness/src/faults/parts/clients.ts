import fc from 'fast-check';
import { aim } from '../../sim/schedule/aim.ts';
import { after, before, PLAIN, soon } from '../../sim/schedule/arbitrary-parts.ts';
import type { Arena } from '../../sim/schedule/arena.ts';
import type { ActorClient } from '../../sim/schedule/client.ts';
import { type Fields, LASTING } from '../../sim/schedule/fields.ts';
import type { When } from '../../sim/schedule/schedule.ts';
import type { Matters } from '../../sim/schedule/strikes.ts';
import type { Aimed, Lasting, OfClient } from './elements.ts';

/** What strikes a client at some moment, and lasts, or goes so far. */
export type OnClient = OfClient & Aimed & Lasting;

export const ON_CLIENT: Fields = { client: true, when: true, numbers: { ms: LASTING } };

const CLIENTS = ['a', 'b', 'c'];

/** Aimed at that client's own calls. */
export function onClient(
  kind: string,
  whens: (by: string) => fc.Arbitrary<When>,
  ms: fc.Arbitrary<number>,
): fc.Arbitrary<OnClient> {
  const each = CLIENTS.map((by) =>
    fc.record({ kind: fc.constant(kind), client: fc.constant(by), when: whens(by), ms }, PLAIN),
  );
  return fc.oneof(...each);
}

/** Without a length. */
export function onceOnClient(
  kind: string,
  whens: (by: string) => fc.Arbitrary<When>,
): fc.Arbitrary<OfClient & Aimed> {
  const each = CLIENTS.map((by) =>
    fc.record({ kind: fc.constant(kind), client: fc.constant(by), when: whens(by) }, PLAIN),
  );
  return fc.oneof(...each);
}

/** Between what a holder checks and what it does; and around the calls that tell it whether it holds. */
export function whileHolding(points: readonly string[]): (by: string) => fc.Arbitrary<When> {
  return (by) =>
    fc.oneof(
      { arbitrary: before('write', by), weight: 4 },
      { arbitrary: before('claim', by), weight: 2 },
      { arbitrary: before('read', by), weight: 1 },
      { arbitrary: nowCalls(by), weight: 2 },
      ...points.flatMap((label) => [
        { arbitrary: before(label, by), weight: 1 },
        { arbitrary: after(label, by), weight: 1 },
      ]),
      { arbitrary: soon, weight: 1 },
    );
}

function nowCalls(by: string): fc.Arbitrary<When> {
  const n = fc.integer({ min: 1, max: 40 });
  return fc.record({ before: fc.constant('now'), n, by: fc.constant(by) }, PLAIN);
}

export function whileAcquiring([acquire = 'acquire']: readonly string[]): (
  by: string,
) => fc.Arbitrary<When> {
  return (by) =>
    fc.oneof(
      { arbitrary: after(acquire, by), weight: 3 },
      { arbitrary: before(acquire, by), weight: 1 },
    );
}

/** While it holds, between its steps. */
export function inside(by: string): fc.Arbitrary<When> {
  return fc.oneof(
    before('write', by),
    before('claim', by),
    before('sleep', by),
    before('read', by),
  );
}

/** How a client is struck. */
export interface ClientStrike {
  readonly lastingMs: number;
  readonly matters: Matters;
  /** Whether it strikes at all; asked at the moment. */
  readonly isMeant?: (client: ActorClient) => boolean;
  /** `inStep`: the process itself is what runs, and what follows in its step comes after this. */
  readonly act: (client: ActorClient, inStep: boolean) => void;
}

/** Once its moment has come, where the client lives and has something left to do. */
export function strikeClient(
  arena: Arena,
  { kind, client: id, when }: OfClient & Aimed,
  index: number,
  { lastingMs, matters, isMeant = () => true, act }: ClientStrike,
): void {
  const client = arena.clients.get(id);
  if (client === undefined) return;
  aim(arena, when, (by) => {
    if (!client.isAlive || client.isDone || !isMeant(client)) return;
    arena.strikes.add({ kind, fault: index, actors: [id] }, lastingMs, matters);
    act(client, by === id);
  });
}

/** Its process stands still. A pause within the ttl is no more than a slow step. */
export function standStill(
  arena: Arena,
  fault: OnClient,
  index: number,
  how: Partial<Pick<ClientStrike, 'matters' | 'isMeant'>> = {},
): void {
  const { client: id, ms } = fault;
  const { matters = () => arena.isHeldBy(id), ...rest } = how;
  strikeClient(arena, fault, index, {
    ...rest,
    lastingMs: ms,
    matters: ms <= arena.schedule.ttlMs ? () => false : matters,
    act: ({ process }, inStep) => {
      arena.recorder.paused(process, ms);
      if (inStep) process.block(ms);
      else process.pause(ms);
    },
  });
}
