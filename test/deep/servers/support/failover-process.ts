import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, type Locks } from '@holdfast/core';
import { random } from '@holdfast/harness/simulator';
import { openLocks } from 'holdfast';
import { hostMs } from '../../../../harness/test/kit/real-servers.ts';
import { onMessage, tell } from '../../../support/parent.ts';
import { RealClient, RealHistory } from '../../../support/real-history.ts';

/**
 * Clients of all arms in a process of their own. Arguments: the URL of the master, their number in each arm, and their
 * name. Messages: `round ‹n›` begins a round, whose keys are new; `near`: the failover is; `stop` ends the round, and is
 * answered by its events.
 */
const [url = '', count = '0', name = ''] = process.argv.slice(2);
/** The number of replicas that must acknowledge, in each arm. */
const ARMS = { all: 2, one: 1, none: undefined };
const TTL_MS = 3_000;
const WAIT_MS = 3_000;
/** Holds are short, so that there are many, until the failover is near: then they outlast it, and a renewal. */
const SHORT_MS = 20;
const LONG_MS = 1_500;
/**
 * With several keys, and rests, keys are often free. A key that is always held protects itself: of the hold before, the
 * replica has the grant and not the release.
 */
const KEYS = 8;
const REST_MS = 60;

const history = new RealHistory(hostMs);
const draw = random(name);
let round = '';
let isNear = false;

function open(arm: string, waitReplicas: number | undefined, i: number): Promise<Locks> {
  const config = { backend: 'redis-simple', url, ttlMs: TTL_MS, waitReplicas } as const;
  return openLocks(config, { label: `${name}-${arm}-${i}` });
}

async function work(client: RealClient, locks: Locks, key: string): Promise<void> {
  const hold = client.request(key);
  try {
    const lease = await locks.acquire(key, { waitMs: WAIT_MS });
    client.granted(key, hold, lease);
    await sleep(isNear ? LONG_MS : draw.next() * SHORT_MS);
    await client.release(key, hold, lease);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    client.failed(key, hold, error.code);
  }
}

async function play(arm: string, { client, locks }: Opened, of: string): Promise<void> {
  const isOn = (): boolean => round === of;
  while (isOn()) {
    await work(client, locks, `${arm}/${of}/${Math.floor(draw.next() * KEYS)}`);
    await sleep(draw.next() * REST_MS);
  }
}

interface Opened {
  readonly client: RealClient;
  readonly locks: Locks;
}

async function openArm(arm: string, waitReplicas: number | undefined): Promise<readonly Opened[]> {
  const each = Array.from({ length: Number(count) }, async (_, i) => {
    const locks = await open(arm, waitReplicas, i);
    return { client: new RealClient(`${name}.${arm}.${i}`, locks, history), locks };
  });
  return await Promise.all(each);
}

const opening = Object.entries(ARMS).map(
  async ([arm, waitReplicas]) => [arm, await openArm(arm, waitReplicas)] as const,
);
const arms = await Promise.all(opening);
let playing: Promise<unknown> = Promise.resolve();

onMessage((message) => {
  const [word, of = ''] = message.split(' ');
  isNear = word === 'near';
  if (isNear) return;
  round = of;
  if (word === 'stop') {
    void playing.then(() => tell({ events: history.events.splice(0) }));
    return;
  }
  const clients = arms.flatMap(([arm, opened]) => opened.map((each) => play(arm, each, of)));
  playing = Promise.all(clients);
});
tell('open');
