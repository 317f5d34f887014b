import type { Capabilities, HistoryEvent } from '@holdfast/core/backend';
import {
  type Fault,
  type Op,
  type PlayResult,
  parseSchedule,
  play,
  type Subject,
} from '@holdfast/harness/simulator';

/** Properties of a lock, measured by playing schedules; times in ms, with a lease of a second and messages of 1 ms one way. */
const TTL_MS = 1_000;
/** A client that is not served by then is not served at all; stopped servers resume long after that. */
const SOON_MS = 8_000;
const STOPPED_MS = 50_000;

type Request = Pick<Op, 'client' | 'atMs' | 'holdMs'>;

async function played(
  subject: Subject,
  requests: readonly Request[],
  ...faults: readonly Fault[]
): Promise<PlayResult> {
  const ops = requests.map((each, i) => ({ id: i + 1, renews: true, ...each }));
  const schedule = {
    v: 1,
    ttlMs: TTL_MS,
    latencyMs: 1,
    nodes: Math.max(1, subject.nodes),
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops,
    faults,
  };
  return await play(parseSchedule(schedule), subject, { trace: true });
}

/** Returns the capabilities of the backend. */
export async function capabilitiesOf(subject: Subject): Promise<Capabilities> {
  let capabilities: Capabilities | undefined;
  const { open } = subject;
  await played(
    {
      ...subject,
      async open(env, host) {
        const backend = await open?.(env, host);
        if (backend === undefined) throw new Error(`${subject.name} opens nothing`);
        ({ capabilities } = backend);
        return backend;
      },
    },
    [{ client: 'a', atMs: 0, holdMs: 0 }],
  );
  if (capabilities === undefined) throw new Error(`${subject.name} was not opened`);
  return capabilities;
}

/** Returns the time for which a dead holder blocks a waiter. */
export async function blockedAfterCrashMs(subject: Subject): Promise<number> {
  const { history } = await played(
    subject,
    [
      { client: 'a', atMs: 0, holdMs: 5_000 },
      { client: 'b', atMs: 100, holdMs: 0 },
    ],
    { kind: 'holder-crash', client: 'a', when: { atMs: 200 } },
  );
  const [dead, next] = [grantOf(history, 'a'), grantOf(history, 'b')];
  return Math.round(next.atMs - dead.atMs - 200);
}

/** Returns the number of servers that may be paused, whichever they are, while all clients are served. */
export async function sparedServers(subject: Subject): Promise<number> {
  let spared = 0;
  while (spared < subject.nodes && (await isServedWithout(subject, spared + 1))) spared++;
  return spared;
}

async function isServedWithout(subject: Subject, many: number): Promise<boolean> {
  for (let nodes = 1; nodes < 1 << subject.nodes; nodes++) {
    if (bits(nodes) !== many) continue;
    const { history } = await played(
      subject,
      [
        { client: 'a', atMs: 100, holdMs: 10 },
        { client: 'b', atMs: 200, holdMs: 10 },
      ],
      { kind: 'server-stop', nodes, when: { atMs: 50 }, ms: STOPPED_MS },
    );
    const soon = history.filter(({ type, atMs }) => type === 'granted' && atMs < SOON_MS);
    if (soon.length < 2) return false;
  }
  return true;
}

/** True if a second request of a process is granted beside its first. */
export async function isReentrant(subject: Subject): Promise<boolean> {
  const { history } = await played(subject, [
    { client: 'a', atMs: 0, holdMs: 400 },
    { client: 'a', atMs: 100, holdMs: 0 },
  ]);
  const types = history.flatMap(({ type }) => (type === 'granted' || type === 'exit' ? type : []));
  return types[1] === 'granted';
}

/** True if a lease is renewed while work takes three ttls. */
export async function isRenewed(subject: Subject): Promise<boolean> {
  const { history } = await played(subject, [{ client: 'a', atMs: 0, holdMs: 3 * TTL_MS }]);
  return history.some(({ type }) => type === 'renewed');
}

/** Returns the messages of an acquire and a release, and the total time of both, without contention. */
export async function cost(
  subject: Subject,
): Promise<{ readonly messages: number; readonly ms: number }> {
  const { history, trace } = await played(subject, [
    // Setup that is done once, for a key or a connection, is done by then.
    { client: 'a', atMs: 0, holdMs: 0 },
    { client: 'a', atMs: 1_500, holdMs: 0 },
  ]);
  const at = (type: HistoryEvent['type']): number =>
    history.findLast((event) => event.type === type)?.atMs ?? Number.NaN;
  const spans = [
    [at('acquire'), at('granted')],
    [at('release'), at('released')],
  ] as const;
  const sent = trace.filter(
    ({ kind, process, atUs }) =>
      kind === 'send' &&
      process === 'a' &&
      spans.some(([from, until]) => atUs / 1_000 >= from && atUs / 1_000 < until),
  );
  const ms = spans.reduce((sum, [from, until]) => sum + until - from, 0);
  return { messages: sent.length, ms: Math.round(ms) };
}

function grantOf(history: readonly HistoryEvent[], client: string): HistoryEvent {
  const granted = history.find((event) => event.type === 'granted' && event.client === client);
  if (granted === undefined) throw new Error(`${client} is never granted the key`);
  return granted;
}

function bits(mask: number): number {
  return mask.toString(2).replaceAll('0', '').length;
}
