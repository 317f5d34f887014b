import fc from 'fast-check';
import { after, before, PLAIN, soonAfterStart } from '../../sim/schedule/arbitrary-parts.ts';
import { atMoment } from '../../sim/schedule/at-moment.ts';
import { type FaultFields, LASTING } from '../../sim/schedule/fields.ts';
import type { IsRelevant } from '../../sim/schedule/injections.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { When } from '../../sim/schedule/schedule.ts';
import type { ScheduledClient } from '../../sim/schedule/scheduled-client.ts';
import type { ClientField, DurationField, WhenField } from './elements.ts';

/** A fault that affects a client at some moment; `ms` is its duration or size. */
export type OnClient = ClientField & WhenField & DurationField;

export const ON_CLIENT: FaultFields = { client: true, when: true, numbers: { ms: LASTING } };

const CLIENTS = ['a', 'b', 'c'];

/** Aims at the client's own calls. */
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

/** As {@link onClient}, without a duration. */
export function onceOnClient(
  kind: string,
  whens: (by: string) => fc.Arbitrary<When>,
): fc.Arbitrary<ClientField & WhenField> {
  const each = CLIENTS.map((by) =>
    fc.record({ kind: fc.constant(kind), client: fc.constant(by), when: whens(by) }, PLAIN),
  );
  return fc.oneof(...each);
}

/** Between a holder's check and its write, and around the calls that show if it holds. */
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
      { arbitrary: soonAfterStart, weight: 1 },
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

/** The effect of a fault on a client. */
export interface ClientInjection {
  readonly lastingMs: number;
  readonly isRelevant: IsRelevant;
  /** False if the fault has no effect; evaluated at its moment. */
  readonly applies?: (client: ScheduledClient) => boolean;
  /** `inStep` is true if the process itself is running; the rest of its step follows the fault. */
  readonly act: (client: ScheduledClient, inStep: boolean) => void;
}

/** Injects the fault at its moment, if the client lives and is not done. */
export function injectIntoClient(
  run: Run,
  { kind, client: id, when }: ClientField & WhenField,
  index: number,
  { lastingMs, isRelevant, applies = () => true, act }: ClientInjection,
): void {
  const client = run.clients.get(id);
  if (client === undefined) return;
  atMoment(run, when, (by) => {
    if (!client.isAlive || client.isDone || !applies(client)) return;
    run.injections.add({ kind, fault: index, actors: [id] }, lastingMs, isRelevant);
    act(client, by === id);
  });
}

/** Pauses the client's process. A pause within the ttl is only a slow step. */
export function pauseClient(
  run: Run,
  fault: OnClient,
  index: number,
  how: Partial<Pick<ClientInjection, 'isRelevant' | 'applies'>> = {},
): void {
  const { client: id, ms } = fault;
  const { isRelevant = () => run.isContendedHolder(id), ...rest } = how;
  injectIntoClient(run, fault, index, {
    ...rest,
    lastingMs: ms,
    isRelevant: ms <= run.schedule.ttlMs ? () => false : isRelevant,
    act: ({ process }, inStep) => {
      run.recorder.paused(process, ms);
      if (inStep) process.block(ms);
      else process.pause(ms);
    },
  });
}
