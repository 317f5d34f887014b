/** One way to lock on a Redis server, to be measured against the others. */
export interface Candidate {
  readonly name: string;
  readonly client: 'ioredis' | 'node-redis';
  open(url: string): Promise<Opened>;
}

export interface Opened {
  /** One attempt; undefined when somebody else holds the key. */
  acquire(key: string): Promise<Unlock | undefined>;
  close(): Promise<unknown>;
}

/** Gives back what was acquired. */
export type Unlock = () => Promise<unknown>;

/** Long enough that nothing is renewed and nothing expires while a batch is measured. */
export const TTL_MS = 30_000;

/** Waits for an attempt of a library that throws when the key is taken; other errors go on. */
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
