import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '@holdfast/harness/simulator';
import type { ZooKeeperSession } from '@holdfast/zk/port';
import { Proxy, ZooKeeperEnsemble } from '../../../../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../../../../support/bundle.ts';
import { Child, type ProcessEnd } from '../../../../support/child.ts';
import { type Divergence, divergenceOf, heal, sessionAt } from './divergence.ts';
import { Ear } from './ear.ts';
import { Expiries, type Expiry } from './expiries.ts';
import { type Stuck, stuckInCalm } from './idle-clients.ts';
import { Nemesis } from './nemesis.ts';
import { Reigns } from './reigns.ts';
import type { Report } from './report.ts';
import { LEDGER } from './write-log.ts';

const T_MS = 4_000;
/** The length of a phase of faults, before a calm in which idle clients are counted. */
const STORM_MS = 20_000;
const FINISH_MS = 60_000;

export interface ChaosOptions {
  readonly library: 'zk-client' | 'zookeeper';
  readonly seed: string;
  readonly ms: number;
  readonly mutation?: Mutation;
}

/** The observations to judge. */
export interface Chaos {
  readonly seed: string;
  readonly end: ProcessEnd | 'stuck';
  /** Undefined when the clients did not live to report. */
  readonly report: Report | undefined;
  /** The nodes that exist in the ledger at the end, with the transactions that created them. */
  readonly standing: ReadonlyMap<string, bigint>;
  /** Divergences between the servers, calm by calm. */
  readonly rifts: readonly Divergence[];
  /** Clients that got nothing done in each calm; undefined if the quorum was not healthy, or diverged. */
  readonly calms: readonly (readonly Stuck[] | undefined)[];
  /** Sessions that their clients took for expired. */
  readonly expiries: readonly Expiry[];
  readonly injections: Readonly<Record<string, number>>;
}

type Closing = (() => Promise<unknown>)[];

/** Runs 16 clients and 4 bookkeepers on three servers, under random faults. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const closing: Closing = [];
  try {
    return await play(options, closing);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function play(options: ChaosOptions, closing: Closing): Promise<Chaos> {
  const { seed, ms } = options;
  const ensemble = await ZooKeeperEnsemble.start({ tickMs: 200, config: { initLimit: 25 } });
  closing.push(() => ensemble.close());
  const ear = new Ear();
  const proxies = await Promise.all(
    ensemble.servers.map(({ port }, server) => Proxy.start(port, ear.at(server))),
  );
  closing.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const reigns = new Reigns(ensemble);
  closing.push(() => reigns.close());
  const tree = await sessionAt(ensemble.addresses);
  closing.push(() => tree.close());
  await tree.create(LEDGER, '', { mode: 'persistent' });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const reportPath = join(folder, 'report.json');
  const child = await startClients(options, proxies, reportPath);
  closing.push(async () => child.kill());
  const expiries = new Expiries(ensemble, ear, reigns);
  child.onMessage((message) => {
    if (typeof message === 'object' && message !== null && 'expired' in message)
      expiries.add(String(message.expired));
  });

  const draw = random(seed);
  const nemesis = new Nemesis(ensemble, proxies, () => draw.next());
  const calms: Chaos['calms'][number][] = [];
  const rifts: Divergence[] = [];
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs && child.isAlive) {
    await nemesis.injectUntil(Math.min(untilMs, performance.now() + STORM_MS));
    const stuck = await stuckInCalm({ child, reigns, tree });
    const mind = await divergenceOf(ensemble);
    // A client waits in vain on a server that still shows deleted nodes.
    calms.push(mind === 'one' ? stuck : undefined);
    if (typeof mind === 'string') continue;
    rifts.push(mind);
    await heal(ensemble, mind);
  }
  child.send('finish');
  const end = await Promise.race([child.ended, sleep(FINISH_MS).then(() => 'stuck' as const)]);
  return {
    seed,
    end,
    report: await reportAt(reportPath),
    standing: await standingIn(tree),
    rifts,
    calms,
    expiries: await expiries.all(),
    injections: Object.fromEntries(nemesis.counts),
  };
}

function startClients(
  { library, seed, mutation }: ChaosOptions,
  proxies: readonly Proxy[],
  reportPath: string,
): Promise<Child> {
  const servers = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return Child.start('deep/servers/support/zk-chaos/clients-process.ts', {
    args: [library, servers, `${T_MS}`, seed, reportPath],
    mutation,
  });
}

function reportAt(path: string): Promise<Report | undefined> {
  return readFile(path, 'utf8').then(
    (text): Report => JSON.parse(text),
    () => undefined,
  );
}

async function standingIn(tree: ZooKeeperSession): Promise<ReadonlyMap<string, bigint>> {
  const status = new Map<string, bigint>();
  await tree.sync(LEDGER);
  for (const name of (await tree.list(LEDGER)).children) {
    const path = `${LEDGER}/${name}`;
    status.set(path, (await tree.read(path)).stat.czxid);
  }
  return status;
}
