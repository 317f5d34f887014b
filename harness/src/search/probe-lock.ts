import { ConfigError } from '@holdfast/core';
import { didYouMean } from '@holdfast/core/backend';
import type { LockView, Needs } from '../locks/index.ts';
import {
  type PlayResult,
  parseSchedule,
  type Schedule,
  SERVER_KINDS,
  type Subject,
  serverKind,
} from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';

/** The part of a view that an external lock gets: what it says that it needs, and nothing else. */
export function viewFor(needs: Needs, view: LockView): Readonly<Record<string, unknown>> {
  const kind = serverKind(needs);
  return kind === undefined ? { store: view.store, link: view.link } : kind.view(view);
}

/** The servers that the simulator gives an external lock. The probe shows how many of the Redis servers it uses. */
function serversFor(needs: Needs): Pick<Subject, 'nodes' | 'servers' | 'ensemble'> {
  const { size = 0, isEnsemble } = serverKind(needs) ?? {};
  return { nodes: size, servers: needs, ...(isEnsemble && { ensemble: true }) };
}

const KNOWN = ['nothing', ...Object.keys(SERVER_KINDS)];
const WRITE = `write  export const deployment = { needs: 'redis' };  (or ${KNOWN.filter((each) => each !== 'redis').join(', ')})`;

/**
 * Reads what an external lock needs from its export `deployment`.
 * @throws ConfigError saying what is wrong with the export, and what to write
 */
export function needsOf(record: unknown, backend: string): Needs {
  const refuse = (why: string): ConfigError =>
    new ConfigError(`"${backend}" cannot be simulated: ${why}; ${WRITE}`, { backend });
  if (record === undefined) throw refuse('it does not export what it needs');
  if (typeof record !== 'object' || record === null)
    throw refuse('its export deployment is not an object');
  const unknownField = Object.keys(record).find((key) => key !== 'needs' && key !== 'clients');
  if (unknownField !== undefined)
    throw refuse(`its export deployment has an unknown field "${unknownField}"`);
  const needs = 'needs' in record ? record.needs : undefined;
  if (isNeeds(needs)) return needs;
  if (typeof needs !== 'string') throw refuse('its export deployment has no needs');
  throw refuse(`its export deployment has unknown needs "${needs}".${didYouMean(needs, KNOWN)}`);
}

function isNeeds(value: unknown): value is Needs {
  return typeof value === 'string' && KNOWN.includes(value);
}

/** Labels with which every connection begins; none is part of a recipe. */
const HANDSHAKE_LABELS = new Set([
  'connect',
  'INFO',
  'HELLO',
  'PING',
  'SUBSCRIBE',
  'UNSUBSCRIBE',
  'undo',
]);
/** Labels of calls that the workload itself sends. */
const WORKLOAD = new Set(['read', 'write']);

/** One client works for longer than the ttl while another waits; there is no fault. */
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
 * Finds out what a lock uses and promises: how many nodes, which commands and scripts, and if it renews and issues
 * tokens.
 * @throws ConfigError if the lock cannot be opened, or never grants the key
 */
export async function probeLock(
  name: string,
  open: NonNullable<Subject['open']>,
  needs: Needs,
  clients: Pick<Subject, 'modeOf'> = {},
): Promise<Subject> {
  const subject = { name, open, ...serversFor(needs), ...clients };
  const played = await playGuarded(
    faultFreeSchedule(subject.nodes),
    { ...subject, renews: true, tokens: false },
    { trace: true },
  );
  const granted = played.history.filter((event) => event.type === 'granted');
  if (granted.length === 0)
    throw new ConfigError(probeError(name, needs, played), { backend: name });
  const sends = played.trace.filter(
    ({ kind, label, to }) => kind === 'send' && to !== undefined && isRecipeCall(label),
  );
  const nodesUsed = new Set(sends.map(({ to }) => to)).size;
  return {
    ...subject,
    // On Redis the lock decides how many nodes it uses; a client of an ensemble talks to one server at a time.
    ...(needs === 'redis' ? { nodes: nodesUsed > 1 ? subject.nodes : nodesUsed } : {}),
    renews: played.history.some(({ type }) => type === 'renewed'),
    tokens: granted.every(({ token }) => token !== undefined),
    points: [...new Set(sends.flatMap(({ label }) => label ?? []))],
  };
}

function isRecipeCall(label: string | undefined): boolean {
  return label !== undefined && !HANDSHAKE_LABELS.has(label) && !WORKLOAD.has(label);
}

function probeError(name: string, needs: Needs, { complaints }: PlayResult): string {
  const why = complaints[0] ?? 'the key was never granted';
  return `"${name}" does not work even without faults: ${why} (it says that it needs ${needs})`;
}
