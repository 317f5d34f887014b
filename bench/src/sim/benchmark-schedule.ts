/** A schedule of three clients that request one key three times each, at different times, without faults. */
export function benchmarkSchedule(n: number, nodes = 5): object {
  const op = (id: number): object => ({
    id,
    client: 'abc'[id % 3],
    atMs: (id * 7 + n * 13) % 60,
    holdMs: 3 + ((id + n) % 5),
    renews: false,
  });
  const ops = Array.from({ length: OPS }, (_, id) => op(id));
  const still = { replicas: 0, lagMs: 0, replicaClockMs: 0, faults: [] };
  return { v: 1, ttlMs: 1_000, latencyMs: 1, nodes, ops, ...still };
}

/** Number of acquisitions in each schedule. */
export const OPS = 9;

/** A line of a report that says whether a figure meets its bound. */
export function judged(isWithin: boolean, bound: string): string {
  return isWithin ? `within ${bound}` : `MISSES ${bound}`;
}

/** Seconds of processor time that this process has used, with all its threads. */
export function processorS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
