import { ConfigError } from '@holdfast/core';
import { type Played, parseSchedule, type Schedule, type Subject } from '@holdfast/sim';
import { playGuarded } from './play-guarded.ts';

/** As many as Redlock is usually shown with. */
const NODES = 5;
/** How every connection begins; nothing of a lock's own. */
const GREETING = new Set(['connect', 'INFO', 'HELLO', 'PING', 'SUBSCRIBE', 'UNSUBSCRIBE', 'undo']);
/** What the workload itself sends. */
const WORKLOAD = new Set(['read', 'write']);

/** One client works for longer than the ttl while another waits; nothing goes wrong. */
const CALM: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: NODES,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 1_500, renews: true },
    { id: 2, client: 'b', atMs: 50, holdMs: 10, renews: true },
  ],
  faults: [],
});

/**
 * Finds out what a lock uses and promises: how many nodes, which commands and scripts, whether it renews, whether its
 * grants carry tokens.
 * @throws ConfigError where it cannot be opened, or never grants anything
 */
export async function probed(lock: Required<Pick<Subject, 'name' | 'open'>>): Promise<Subject> {
  const blank = { ...lock, nodes: NODES, renews: true, tokens: false };
  const played = await playGuarded(CALM, blank, { trace: true });
  const granted = played.history.filter((event) => event.type === 'granted');
  if (granted.length === 0)
    throw new ConfigError(refusal(lock.name, played), { backend: lock.name });
  const sends = played.trace.filter(
    ({ kind, label, to }) => kind === 'send' && to !== undefined && isOwn(label),
  );
  const nodes = new Set(sends.map(({ to }) => to));
  return {
    ...lock,
    nodes: nodes.size > 1 ? NODES : nodes.size,
    renews: played.history.some(({ type }) => type === 'renewed'),
    tokens: granted.every(({ token }) => token !== undefined),
    points: [...new Set(sends.flatMap(({ label }) => label ?? []))],
  };
}

function isOwn(label: string | undefined): boolean {
  return label !== undefined && !GREETING.has(label) && !WORKLOAD.has(label);
}

function refusal(name: string, { complaints }: Played): string {
  const why = complaints[0] ?? 'nobody was ever granted the key';
  return `"${name}" does not work even where nothing goes wrong: ${why}`;
}
