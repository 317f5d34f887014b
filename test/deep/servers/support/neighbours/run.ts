import { anyOf, type Injection, injectFor, sleep } from '../store-chaos.ts';
import { Client, type Side } from './client.ts';
import { Counter } from './counter.ts';
import { Inside } from './inside.ts';

/** `NEIGHBOURS_MS=60000` shortens each run. */
export const RUN_MS = Number(process.env['NEIGHBOURS_MS'] ?? 600_000);
const CLIENTS_OF_EACH = 2;

export interface RunOptions {
  readonly ours: Side;
  readonly theirs: Side;
  readonly ports: readonly number[];
  /** Time to live of keys, or of sessions. */
  readonly ttlMs: number;
  /** How long it takes, `RUN_MS` by default. */
  readonly runMs?: number;
  /** What is done to the servers. */
  readonly injections?: Readonly<Record<string, Injection>>;
}

/** What two of ours and two neighbours did to one counter. */
export interface Outcome {
  readonly violations: readonly string[];
  readonly writes: number;
  readonly grants: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly injected: Readonly<Record<string, number>>;
}

/** Ours and a library count up one number under one lock, while faults happen. */
export async function runBeside({
  ours,
  theirs,
  ports,
  ttlMs,
  injections,
  runMs = RUN_MS,
}: RunOptions): Promise<Outcome> {
  const counter = await Counter.start();
  const inside = new Inside();
  const clients: Client[] = [];
  try {
    for (const side of [ours, theirs])
      for (let i = 1; i <= CLIENTS_OF_EACH; i++) {
        const parts = { side, ports, ttlMs, inside, resource: counter.address };
        clients.push(await Client.start({ ...parts, name: `${side.name} ${i}` }));
      }
    const running = clients.map((client) => client.run());
    const injected = await injectFor(runMs, { ...ofClients(clients, ttlMs), ...injections });
    for (const client of clients) client.end();
    await Promise.all(running);
    const grants: Record<string, number> = {};
    for (const { side, grants: own } of clients) grants[side] = (grants[side] ?? 0) + own;
    const violations = [...inside.violations, ...counter.lost];
    const failures = clients.flatMap(({ failures: own }) => own);
    return { violations, writes: counter.writes, grants, failures, injected };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    counter.close();
  }
}

function ofClients(clients: readonly Client[], ttlMs: number): Readonly<Record<string, Injection>> {
  const cutFor = async (maxMs: number): Promise<void> => {
    const { proxies } = anyOf(clients);
    for (const proxy of proxies) proxy.cut();
    await sleep(maxMs * Math.random());
    for (const proxy of proxies) proxy.heal({ drop: Math.random() < 0.5 });
  };
  return {
    'a client dies': async () => {
      anyOf(clients).crash();
    },
    'replies are lost': async () => {
      const { proxies } = anyOf(clients);
      for (const proxy of proxies) proxy.loseReplies();
      await sleep(500 * Math.random());
      for (const proxy of proxies) proxy.heal({ drop: true });
    },
    'a client is cut off': () => cutFor(1.5 * ttlMs),
    'connections break': async () => {
      for (const proxy of anyOf(clients).proxies) proxy.reset();
    },
  };
}

const SHOWN = 3;

/** One line for people. */
export function summaryOf(name: string, { violations, ...rest }: Outcome): string {
  const first = violations.slice(0, SHOWN);
  return `${name}: ${JSON.stringify({ violations: violations.length, first, ...rest })}`;
}
