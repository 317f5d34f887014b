import type { Lease, Locks } from '@holdfast/core';
import type { HistoryEvent } from '@holdfast/core/backend';
import { judge } from '@holdfast/harness/check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ZooKeeperEnsemble } from '../../harness/test/kit/real-servers.ts';
import { RealClient } from '../support/real-history.ts';
import { RealStage, type RecipeStage, SimulatedStage } from './support/recipe-stage.ts';

// Real sessions take seconds to end, and leaders to be elected.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** T: within the bounds of servers whose tick is half a second, and longer than an election takes on a busy machine. */
const T_MS = 6_000;
const KEY = 'orders/42';

/** A client whose application works until the test stops it, even after its lease is lost. */
class Party {
  readonly name: string;
  readonly #locks: Locks;
  readonly #stage: RecipeStage;
  readonly #recorder: RealClient;
  #hold = '';
  #lease: Lease | undefined;

  constructor(name: string, locks: Locks, stage: RecipeStage) {
    this.name = name;
    this.#locks = locks;
    this.#stage = stage;
    this.#recorder = new RealClient(name, locks, stage.history);
  }

  async enters(): Promise<void> {
    this.#hold = this.#recorder.request(KEY);
    const lease = await this.#locks.acquire(KEY, { waitMs: Number.POSITIVE_INFINITY });
    this.#recorder.granted(KEY, this.#hold, lease);
    this.#lease = lease;
    this.#stage.history.add(this.name, KEY, this.#hold, { type: 'enter' });
  }

  exits(): void {
    this.#stage.history.add(this.name, KEY, this.#hold, { type: 'exit' });
  }

  async releases(): Promise<void> {
    this.exits();
    if (this.#lease !== undefined) await this.#recorder.release(KEY, this.#hold, this.#lease);
  }

  get isHeld(): boolean {
    return this.#lease?.state === 'held';
  }

  get isLost(): boolean {
    return this.#lease?.state === 'lost';
  }

  async waiters(): Promise<number> {
    return (await this.#locks.inspect(KEY)).waiters ?? 0;
  }
}

async function parties(stage: RecipeStage, ...names: string[]): Promise<Party[]> {
  return await Promise.all(
    names.map(async (name) => new Party(name, await stage.open(name, T_MS), stage)),
  );
}

/** Requests the key behind the waiters that are queued; resolves when its own node is queued. */
async function queueUp(party: Party, behind: number): Promise<{ entered: Promise<void> }> {
  const entered = party.enters();
  while ((await party.waiters()) <= behind);
  return { entered };
}

function pass(stage: RecipeStage, ms: number): Promise<void> {
  const since = stage.history.nowMs();
  return stage.until(() => stage.history.nowMs() - since > ms);
}

/** Events of each client in order, without what may differ between two worlds: times, tokens, renewals. */
function accountOf(events: readonly HistoryEvent[]): string[] {
  return events
    .filter(({ type }) => type !== 'renewed' && type !== 'acquire')
    .map((event) => `${event.client} ${event.type}${detailOf(event)}`);
}

function detailOf(event: HistoryEvent): string {
  if (event.type === 'lost') return ` (${event.reason})`;
  return event.type === 'released' ? ` (${event.outcome})` : '';
}

function tokensGrow(events: readonly HistoryEvent[]): boolean {
  const tokens = events.flatMap((event) =>
    event.type === 'granted' && event.token !== undefined ? [BigInt(event.token)] : [],
  );
  return (
    tokens.length > 1 && tokens.every((token, at) => at === 0 || token > (tokens[at - 1] ?? 0n))
  );
}

interface Account {
  readonly events: readonly string[];
  readonly verdicts: Readonly<Record<string, string>>;
  readonly tokensGrow: boolean;
}

type Tale = (stage: RecipeStage) => Promise<void>;

async function accountFrom(stage: RecipeStage, tale: Tale): Promise<Account> {
  await stage.play(tale);
  const { events } = stage.history;
  const verdicts = judge(events).map(({ property, kind }) => [property, kind] as const);
  return {
    events: accountOf(events),
    verdicts: Object.fromEntries(verdicts.toSorted(([a], [b]) => a.localeCompare(b))),
    tokensGrow: tokensGrow(events),
  };
}

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await RealStage.startServers();
});
afterAll(() => ensemble.close());

async function onBoth(
  namespace: string,
  tale: Tale,
): Promise<{ simulated: Account; real: Account }> {
  const simulated = await accountFrom(new SimulatedStage(), tale);
  return { simulated, real: await accountFrom(new RealStage(ensemble, namespace), tale) };
}

test('takeover: a waiter follows a holder that is never heard of again, once its lease is over', async () => {
  const { simulated, real } = await onBoth('takeover', async (stage) => {
    const [a, b] = await parties(stage, 'a', 'b');
    if (a === undefined || b === undefined) throw new Error('a client is missing');
    await a.enters();
    const waiting = await queueUp(b, 0);

    stage.cut('a');
    await stage.until(() => a.isLost);
    a.exits();
    await waiting.entered;
    await b.releases();
  });

  expect(simulated).toEqual({
    events: [
      'a granted',
      'a enter',
      'a lost (deadline)',
      'a exit',
      'b granted',
      'b enter',
      'b exit',
      'b release',
      'b released (released)',
    ],
    verdicts: { belief: 'ok', validity: 'ok' },
    tokensGrow: true,
  });
  expect(real).toEqual(simulated);
});

const isReply = (event: string): boolean => event.includes(' released (');

/** The replies to releases behind all other events, in their order. */
function repliesLast<T extends { readonly events: readonly string[] }>(played: T): T {
  const others = played.events.filter((event) => !isReply(event));
  return { ...played, events: [...others, ...played.events.filter(isReply)] };
}

test('expiry: a holder that does not look at its lease is late, and comes back behind those that came meanwhile', async () => {
  const { simulated, real } = await onBoth('expiry', async (stage) => {
    const [a, b] = await parties(stage, 'a', 'b');
    if (a === undefined || b === undefined) throw new Error('a client is missing');
    await a.enters();
    const waiting = await queueUp(b, 0);

    stage.cut('a');
    await waiting.entered;
    stage.heal('a');
    await pass(stage, 1);
    a.exits();
    const again = await queueUp(a, 0);
    await b.releases();
    await again.entered;
    await a.releases();
  });

  expect(simulated).toEqual({
    events: [
      'a granted',
      'a enter',
      'a lost (deadline)',
      'b granted',
      'b enter',
      'a exit',
      'b exit',
      'b release',
      'b released (released)',
      'a granted',
      'a enter',
      'a exit',
      'a release',
      'a released (released)',
    ],
    verdicts: { belief: 'violated', validity: 'ok' },
    tokensGrow: true,
  });
  // Whether the next grant or the reply to the release arrives first is up to the ensemble: they go to two clients.
  expect(repliesLast(real)).toEqual(repliesLast(simulated));
});

// Last: it leaves one of the servers dead.
test('failover: a lease outlives its leader, and the queue keeps its order under the next one', async () => {
  const { simulated, real } = await onBoth('failover', async (stage) => {
    const [a, b, c] = await parties(stage, 'a', 'b', 'c');
    if (a === undefined || b === undefined || c === undefined)
      throw new Error('a client is missing');
    await a.enters();
    const second = await queueUp(b, 0);
    const third = await queueUp(c, 1);

    await stage.killLeader();
    // It was renewed by what the new leader answered: the old proofs are worth nothing by now.
    await pass(stage, T_MS);
    expect(a.isHeld).toBe(true);
    await a.releases();
    await second.entered;
    await b.releases();
    await third.entered;
    await c.releases();
  });

  expect(simulated).toEqual({
    events: ['a', 'b', 'c'].flatMap((name) => [
      `${name} granted`,
      `${name} enter`,
      `${name} exit`,
      `${name} release`,
      `${name} released (released)`,
    ]),
    verdicts: { belief: 'ok', validity: 'ok' },
    tokensGrow: true,
  });
  expect(real).toEqual(simulated);
});
