import type { Candidate } from '../candidate.ts';
import { Child } from '../child.ts';

export interface Allocation {
  readonly candidate: string;
  readonly client: Candidate['client'];
  /** Bytes that a pair of acquire and release allocates. */
  readonly allocatedBytes: number;
  /** Bytes that a lease retains while it is held, with the function that releases it. */
  readonly retainedBytes: number;
}

/** So large that a batch of pairs fits without a collection; nothing but what the test asks for is collected. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

/** Counts in a process of its own; 64 pairs are in flight. Such counts are stable where times are not. */
export async function measureAllocation(
  { name, client }: Candidate,
  url: string,
): Promise<Allocation> {
  const child = await Child.start('./allocation/process.js', [name, client, url], FLAGS);
  try {
    const counted = await child.ask({});
    if (!isCounted(counted)) throw new Error('the process answered with something else');
    const { allocated, retained } = counted;
    return { candidate: name, client, allocatedBytes: allocated, retainedBytes: retained };
  } finally {
    await child.close();
  }
}

function isCounted(
  message: unknown,
): message is { readonly allocated: number; readonly retained: number } {
  return typeof message === 'object' && message !== null && 'allocated' in message;
}
