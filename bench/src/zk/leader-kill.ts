import { setTimeout as sleep } from 'node:timers/promises';
import { ZooKeeperEnsemble, type ZooKeeperServer } from '@holdfast/harness/real';
import { type Spread, spreadOf } from '../statistics.ts';
import { type ClientName, ClientProcess } from './client-process.ts';
import { hostMs } from './pair-workload.ts';

export interface Recovery {
  readonly client: ClientName;
  readonly sessionMs: number;
  /** Time from the election of the new leader to the next node that was created. */
  readonly afterMs: Spread;
}

const SESSION_MS = 10_000;
const KILLS = 3;

/** Measures the outage of each client after the leader of three servers was killed. */
export async function killLeader(clients: readonly ClientName[]): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const client of clients) {
    const ensemble = await ZooKeeperEnsemble.start();
    try {
      const afterMs = spreadOf(await killEach(ensemble, client));
      recoveries.push({ client, sessionMs: SESSION_MS, afterMs });
    } finally {
      await ensemble.close();
    }
  }
  return recoveries;
}

async function killEach(ensemble: ZooKeeperEnsemble, client: ClientName): Promise<number[]> {
  const servers = ensemble.servers.map(({ address }) => address).join(',');
  const entrant = await ClientProcess.start(client, servers, SESSION_MS);
  const afterMs: number[] = [];
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = await leaderOf(ensemble);
      killed.kill();
      const recovered = entrant.recover();
      await leaderOf(ensemble);
      const electedMs = hostMs();
      afterMs.push(Math.max(0, (await recovered) - electedMs));
      await killed.restart();
    }
    return afterMs;
  } finally {
    await entrant.close();
  }
}

async function leaderOf(ensemble: ZooKeeperEnsemble): Promise<ZooKeeperServer> {
  for (;;) {
    const leader = await ensemble.leader();
    if (leader !== undefined) return leader;
    await sleep(5);
  }
}
