import type { Network } from '../net/network.ts';
import type { Member } from './cluster.ts';
import type { Run } from './run.ts';
import { type Aftermath, type ClientId, clientIdsIn } from './schedule.ts';

/** Longer than any check runs. */
const PERMANENT_MS = 100_000_000;
/** Of the ttl: a slow node replies when no client can use the reply any more. */
const SLOW_TTLS = 2;

/** Lets time pass until the last injected fault is over. */
export async function endFaults(run: Run, { atMs }: Aftermath): Promise<void> {
  const { world } = run;
  await world.advance(run.fromMs + atMs - world.nowMs);
  run.areFaultsOver = true;
  for (;;) {
    const overMs = Math.max(
      ...run.injections.all.map(({ untilMs }) => finite(untilMs)),
      run.repointedUntilMs,
    );
    const readyUs = [...run.clients.values()].map(({ process }) => process.readyAtUs);
    const servedUs = run.cluster.members.map(({ readyAtUs }) => readyAtUs);
    const calmMs = Math.max(overMs, Math.max(0, ...readyUs, ...servedUs) / 1000);
    const leftUs = Math.round((calmMs - world.nowMs) * 1000);
    if (leftUs <= 0) return;
    await world.advance(leftUs / 1000);
  }
}

/** Breaks the aftermath's nodes and clients permanently; returns the broken nodes. */
export function breakPermanently(run: Run, aftermath: Aftermath): readonly Member[] {
  const servers = run.cluster.serving(aftermath.nodes);
  for (const server of servers) breakServer(run, server, aftermath);
  for (const id of clientIdsIn(aftermath.still)) pauseForever(run, id);
  if (aftermath.apartMs > 0) separateClients(run, aftermath.apartMs);
  return servers;
}

function breakServer(run: Run, server: Member, { how }: Aftermath): void {
  const { network } = run.cluster;
  switch (how) {
    case 'down':
      return server.crash();
    case 'stopped':
      return server.stop(PERMANENT_MS);
    case 'cut':
      return isolateServer(run, network, server);
    case 'slow': {
      const delayMs = SLOW_TTLS * run.schedule.ttlMs;
      network.rule(({ from, to }) => (isClientLink(run, from, to, server) ? { delayMs } : 'pass'));
    }
  }
}

/** Cuts a server from all clients, and from all other servers. */
function isolateServer(run: Run, network: Network, server: Member): void {
  for (const { process } of run.clients.values()) network.cut(process, server);
  for (const other of run.cluster.members) if (other !== server) network.cut(other, server);
}

/**
 * True for messages between a client and this server. Servers talk to each other as before: a leader that is slow
 * with them could not be replaced.
 */
function isClientLink(run: Run, from: string, to: string, { name }: Member): boolean {
  return (from === name && run.clients.has(to)) || (to === name && run.clients.has(from));
}

function pauseForever(run: Run, id: ClientId): void {
  const client = run.clients.get(id);
  if (client === undefined || !client.isAlive) return;
  run.recorder.paused(client.process, PERMANENT_MS);
  client.process.pause(PERMANENT_MS);
}

/**
 * Puts every client next to some of the nodes and further from the others, so that no two clients see events in one
 * order.
 */
function separateClients(run: Run, delayMs: number): void {
  const clients = [...run.clients.keys()];
  const servers = run.cluster.members.map(({ name }) => name);
  const isNear = (client: string, server: string): boolean =>
    servers.indexOf(server) % clients.length === clients.indexOf(client);
  run.cluster.network.rule(({ from, to }) => {
    const [client, server] = run.clients.has(from) ? [from, to] : [to, from];
    const isLink = run.clients.has(client) && servers.includes(server);
    return isLink && !isNear(client, server) ? { delayMs } : 'pass';
  });
}

/** Returns the sum of all jumps of wall clocks in a schedule. */
export function totalJumpMs({ schedule, faults }: Run): number {
  const jumps = schedule.faults.map((fault) => faults.get(fault.kind).jumpMs?.(fault) ?? 0);
  return jumps.reduce((sum, ms) => sum + ms, 0);
}

function finite(ms: number): number {
  return Number.isFinite(ms) ? ms : 0;
}
