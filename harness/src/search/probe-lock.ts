import { ConfigError } from '@holdfast/core';
import { GIVEN, type Needs } from '../locks/index.ts';
import { type PlayResult, parseSchedule, type Schedule, type Subject } from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';

/** How every connection begins; nothing of a lock's own. */
const HANDSHAKE_LABELS = new Set([
  'connect',
  'INFO',
  'HELLO',
  'PING',
  'SUBSCRIBE',
  'UNSUBSCRIBE',
  'undo',
]);
/** What the workload itself sends. */
const WORKLOAD = new Set(['read', 'write']);

/** One client works for longer than the ttl while another waits; nothing goes wrong. */
function faultFreeSchedule(nodes: number): Schedule {
  return parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: Math.max(1, nodes),
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 1_500, renews: true },
      { id: 2, client: 'b', atMs: 50, holdMs: 10, renews: true },
    ],
    faults: [],
  });
}

/**
 * Finds out what a lock uses and promises: how many nodes, which commands and scripts, whether it renews, whether its
 * grants carry tokens.
 * @throws ConfigError where it cannot be opened, or never grants anything
 */
export async function probeLock(
  name: string,
  open: NonNullable<Subject['open']>,
  needs: Needs,
): Promise<Subject> {
  const given = { name, open, ...GIVEN[needs] };
  const played = await playGuarded(
    faultFreeSchedule(given.nodes),
    { ...given, renews: true, tokens: false },
    { trace: true },
  );
  const granted = played.history.filter((event) => event.type === 'granted');
  if (granted.length === 0)
    throw new ConfigError(probeError(name, needs, played), { backend: name });
  const sends = played.trace.filter(
    ({ kind, label, to }) => kind === 'send' && to !== undefined && isRecipeCall(label),
  );
  const asked = new Set(sends.map(({ to }) => to)).size;
  return {
    ...given,
    // How many it asks is its own affair, on Redis; a client of an ensemble asks one server at a time.
    ...(needs === 'redis' ? { nodes: asked > 1 ? given.nodes : asked } : {}),
    renews: played.history.some(({ type }) => type === 'renewed'),
    tokens: granted.every(({ token }) => token !== undefined),
    points: [...new Set(sends.flatMap(({ label }) => label ?? []))],
  };
}

function isRecipeCall(label: string | undefined): boolean {
  return label !== undefined && !HANDSHAKE_LABELS.has(label) && !WORKLOAD.has(label);
}

function probeError(name: string, needs: Needs, { complaints }: PlayResult): string {
  const why = complaints[0] ?? 'nobody was ever granted the key';
  return `"${name}" does not work even where nothing goes wrong: ${why} (it says that it needs ${needs})`;
}
