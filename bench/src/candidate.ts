export const CLIENTS = ['ioredis', 'node-redis'] as const;

/** One way to lock on a Redis server, to be measured against the others. */
export interface Candidate {
  readonly name: string;
  readonly client: (typeof CLIENTS)[number];
  open(url: string): Promise<Opened>;
}

export interface Opened {
  /** Makes one attempt; undefined if another client holds the key. */
  acquire(key: string): Promise<Unlock | undefined>;
  /** Waits for the key, as the library does by default; absent where it is not compared for that. */
  wait?(key: string): Promise<Unlock>;
  close(): Promise<unknown>;
}

/** Releases the key. */
export type Unlock = () => Promise<unknown>;

/** Long enough that no lease is renewed or expires while a batch is measured. */
export const TTL_MS = 30_000;

/** Awaits an attempt of a library that throws if the key is taken; other errors are rethrown. */
export async function undefinedIfBusy<T>(
  attempt: Promise<T>,
  isRefusal: (error: unknown) => boolean,
): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/**
 * Checks that a contender locks, before it is timed: a second client must be refused while the first one holds, and
 * granted afterwards.
 * @throws Error with the name of a contender that does not lock
 */
export async function assertExcludes(contender: Candidate, url: string): Promise<void> {
  const title = `${contender.name} over ${contender.client}`;
  const [first, second] = [await contender.open(url), await contender.open(url)];
  try {
    const release = await first.acquire('really');
    if (release === undefined) throw new Error(`${title} did not acquire a free key`);
    if ((await second.acquire('really')) !== undefined) throw new Error(`${title} does not lock`);
    await release();
    const next = await second.acquire('really');
    if (next === undefined) throw new Error(`${title} did not release its key`);
    await next();
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

export function isRawName(name: string): boolean {
  return name.startsWith('raw');
}

export function isRaw(candidate: Candidate): boolean {
  return isRawName(candidate.name);
}

/** Those whose name and client contain a text; raw calls are what the others are compared with. */
export function chosenOf(candidates: readonly Candidate[], only: string): readonly Candidate[] {
  return candidates.filter((each) => isRaw(each) || `${each.name} ${each.client}`.includes(only));
}
