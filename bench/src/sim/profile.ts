import { type Profiler, Session } from 'node:inspector/promises';

/** The share of the time that a part took by itself, without its callees. */
export interface TimeShare {
  readonly of: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** Runs `run` under the profiler; returns the packages that took the time, the greatest share first. */
export async function profileOf(run: () => Promise<unknown>): Promise<readonly TimeShare[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await run();
    const { profile } = await session.post('Profiler.stop');
    return sharesIn(profile);
  } finally {
    session.disconnect();
  }
}

function sharesIn({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): readonly TimeShare[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  let all = 0;
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? '?';
    const delta = timeDeltas[i] ?? 0;
    if (name === IDLE) continue;
    spent.set(name, (spent.get(name) ?? 0) + delta);
    all += delta;
  }
  return [...spent]
    .map(([of, time]) => ({ of, share: time / all }))
    .toSorted((a, b) => b.share - a.share);
}

const IDLE = '(idle)';
/** Names that the profiler uses for parts of the engine that are not functions. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'the engine',
  runMicrotasks: 'promises',
};

function nameOf({ url, functionName }: Profiler.Profile['nodes'][number]['callFrame']): string {
  const own = /\/packages\/([^/]+)\/(?:dist|src)\/((?:net|redis|schedule)\/(?:lua\/)?)?/.exec(url);
  if (own?.[1] !== undefined) return own[1] === 'sim' ? `sim/${own[2] ?? ''}` : own[1];
  if (functionName === IDLE) return IDLE;
  if (functionName in OWN_NAMES) return OWN_NAMES[functionName] ?? functionName;
  if (url.startsWith('node:internal/abort') || url.startsWith('node:internal/event_target'))
    return 'abort signals';
  return url.startsWith('node:') || url === '' ? 'the rest of Node' : 'other';
}
