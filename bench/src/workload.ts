import type { Opened } from './candidate.ts';

/** One way to load a lock with uncontended acquire + release cycles. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  /** Runs one batch and resolves to the number of cycles. */
  run(opened: Opened): Promise<number>;
}

/** Keys are reused, so that the server's memory does not grow with the number of rounds. */
const KEYS = 256;
const SEQUENTIAL_CYCLES = 512;
const WAVES = 4;

async function cycle(opened: Opened, key: number): Promise<void> {
  const giveBack = await opened.acquire(`orders/${key}`);
  if (giveBack === undefined) throw new Error(`orders/${key} is taken, although nobody holds it`);
  await giveBack();
}

const sequential: Workload = {
  name: 'sequential',
  title: 'one after another',
  async run(opened) {
    for (let i = 0; i < SEQUENTIAL_CYCLES; i++) await cycle(opened, i % KEYS);
    return SEQUENTIAL_CYCLES;
  },
};

const together: Workload = {
  name: 'together',
  title: `${KEYS} at once, each its own key`,
  async run(opened) {
    for (let wave = 0; wave < WAVES; wave++) {
      await Promise.all(Array.from({ length: KEYS }, (_, key) => cycle(opened, key)));
    }
    return WAVES * KEYS;
  },
};

export const workloads: readonly Workload[] = [sequential, together];
