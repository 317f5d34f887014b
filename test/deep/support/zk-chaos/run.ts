import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '@holdfast/core';
import { random } from '@holdfast/sim';
import { clientSessions } from '@holdfast/zk';
import { ZooKeeperEnsemble } from '../../../../packages/holdfast/src/local/zookeeper-ensemble.ts';
import { fourLetters } from '../../../../packages/holdfast/src/local/zookeeper-mode.ts';
import type { Mutation } from '../../../support/bundle.ts';
import { Child, type End } from '../../../support/child.ts';
import { Proxy } from '../../../support/proxy.ts';
import { LEDGER } from './ledger.ts';
import { Nemesis } from './nemesis.ts';
import type { Report } from './report.ts';

const T_MS = 4_000;
/** How long faults go on before everybody is given the time to go on, and is looked at. */
const STORM_MS = 20_000;
/** How soon after a quorum is well again everybody has to have got something done. */
const PROGRESS_MS = 5_000;
const FINISH_MS = 60_000;
const ASKED_MAX = 200;
/** How long a leader that stood still may go on as one: half the time that followers are waited for, and then some. */
const DEPOSED_MS = 2_000;

export interface ChaosOptions {
  readonly library: 'zk-client' | 'zookeeper';
  readonly seed: string;
  readonly ms: number;
  readonly mutation?: Mutation;
}

/**
 * `falsely`: the leader knows the session. `by the deposed`: so it does, but a server that stood still has just gone on;
 * one that was the leader ends sessions, and tells their clients so, before it learns that it no longer is.
 */
export type Expiry = 'truly' | 'falsely' | 'by the deposed';

export interface Chaos {
  readonly end: End | 'stuck' | undefined;
  /** Undefined when the clients did not live to report. */
  readonly report: Report | undefined;
  /** What stands in the ledger in the end, with the transactions that made it. */
  readonly standing: ReadonlyMap<string, bigint>;
  /** Who got nothing done in a calm, and when. */
  readonly stuck: readonly string[];
  readonly calms: number;
  /** Sessions that their clients took for expired. */
  readonly expired: ReadonlyMap<string, Expiry>;
  readonly blows: Readonly<Record<string, number>>;
}

/** Lets 16 clients and 4 bookkeepers work on three servers that are struck at random. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    return await play(options, closing);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function play(
  { library, seed, ms, mutation }: ChaosOptions,
  closing: (() => Promise<unknown>)[],
): Promise<Chaos> {
  const ensemble = await ZooKeeperEnsemble.start({ tickMs: 200, config: { initLimit: 25 } });
  closing.push(() => ensemble.close());
  const proxies = await Promise.all(ensemble.servers.map(({ port }) => Proxy.start(port)));
  closing.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const reportPath = join(folder, 'report.json');
  const draw = random(seed);
  const nemesis = new Nemesis(ensemble, proxies, () => draw.next());
  const tree = await clientSessions(
    { servers: ensemble.addresses, sessionTimeoutMs: 30_000, auth: undefined },
    createHost().runtime,
  )(performance.now() + 10_000);
  closing.push(() => tree.close());
  await tree.create(LEDGER, '', { mode: 'persistent' });
  const servers = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const child = await Child.start('deep/support/zk-chaos/clients-process.ts', {
    args: [library, servers, `${T_MS}`, seed, reportPath],
    mutation,
  });
  closing.push(async () => child.kill());
  const expired = new Map<string, Expiry>();
  child.onTold((message) => {
    if (typeof message !== 'object' || message === null || !('expired' in message)) return;
    const id = String(message.expired);
    const isDeposed = performance.now() - nemesis.resumedMs < DEPOSED_MS;
    void isKnown(ensemble, id).then((known) => {
      if (known) expired.set(id, isDeposed ? 'by the deposed' : 'falsely');
      else expired.set(id, 'truly');
      return undefined;
    });
  });
  const stuck: string[] = [];
  let calms = 0;
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs && child.isAlive) {
    await nemesis.strikeUntil(Math.min(untilMs, performance.now() + STORM_MS));
    calms++;
    stuck.push(...(await idleIn(child)).map((index) => `client ${index} in calm ${calms}`));
  }
  child.send('finish');
  const finished = await Promise.race([child.ended, sleep(FINISH_MS)]);
  const report = await readFile(reportPath, 'utf8').then(
    (text): Report => JSON.parse(text),
    () => undefined,
  );
  const standing = new Map<string, bigint>();
  await tree.sync(LEDGER);
  for (const name of (await tree.list(LEDGER)).children) {
    const path = `${LEDGER}/${name}`;
    standing.set(path, (await tree.read(path)).stat.czxid);
  }
  const blows = Object.fromEntries(nemesis.counts);
  return { end: finished ?? 'stuck', report, standing, stuck, calms, expired, blows };
}

/** Whether the leader has this session; asked again until there is a leader. */
async function isKnown(ensemble: ZooKeeperEnsemble, id: string): Promise<boolean> {
  for (let tries = 0; tries < ASKED_MAX; tries++) {
    const leader = await ensemble.leader();
    const sessions = leader === undefined ? '' : await fourLetters(leader.port, 'dump');
    if (sessions !== '') return sessions.includes(id);
    await sleep(50);
  }
  return false;
}

/** The numbers of those who get nothing done although all is well. */
async function idleIn(child: Child): Promise<readonly number[]> {
  const before = await progressOf(child, 'calm');
  await sleep(PROGRESS_MS);
  const after = await progressOf(child, 'storm');
  return after.flatMap((count, index) => (count > (before[index] ?? 0) ? [] : [index]));
}

function progressOf(child: Child, stage: 'calm' | 'storm'): Promise<readonly number[]> {
  const told = new Promise<readonly number[]>((done) =>
    child.onTold((message) => {
      if (typeof message !== 'object' || message === null || !('progress' in message)) return;
      done(Array.isArray(message.progress) ? message.progress.map(Number) : []);
    }),
  );
  child.send(stage);
  return Promise.race([told, child.ended.then(() => [])]);
}
