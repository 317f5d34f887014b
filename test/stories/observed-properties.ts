import type { Capabilities, HistoryEvent } from '@holdfast/core';
import {
  type Fault,
  type Op,
  type PlayResult,
  parseSchedule,
  play,
  type Subject,
} from '@holdfast/harness/simulator';

/** What people ask of a lock, found out by playing; times in ms, with a lease of a second and messages of 1 ms one way. */
const TTL_MS = 1_000;
/** Who is served at all by then is served; what has stopped goes on long after that. */
const SOON_MS = 8_000;
const STOPPED_MS = 50_000;

type Question = Pick<Op, 'client' | 'atMs' | 'holdMs'>;

async function played(
  subject: Subject,
  questions: readonly Question[],
  ...faults: readonly Fault[]
): Promise<PlayResult> {
  const ops = questions.map((each, i) => ({ id: i + 1, renews: true, ...each }));
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

/** What the backend says of itself. */
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

/** For how long a holder that has died keeps out who waits. */
export async function blockedByTheDeadMs(subject: Subject): Promise<number> {
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

/** How many servers may stand still, whichever they are, and everybody is served all the same. */
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

/** Whether a second request of the same process gets in beside its first. */
export async function isReentrant(subject: Subject): Promise<boolean> {
  const { history } = await played(subject, [
    { client: 'a', atMs: 0, holdMs: 400 },
    { client: 'a', atMs: 100, holdMs: 0 },
  ]);
  const types = history.flatMap(({ type }) => (type === 'granted' || type === 'exit' ? type : []));
  return types[1] === 'granted';
}

/** Whether a lease goes on while work takes three of them. */
export async function isRenewed(subject: Subject): Promise<boolean> {
  const { history } = await played(subject, [{ client: 'a', atMs: 0, holdMs: 3 * TTL_MS }]);
  return history.some(({ type }) => type === 'renewed');
}

/** Messages from taking the key to having given it back, and how long both take, where nobody else wants it. */
export async function cost(
  subject: Subject,
): Promise<{ readonly messages: number; readonly ms: number }> {
  const { history, trace } = await played(subject, [
    // What is made once, for a key or a connection, is made by then.
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
