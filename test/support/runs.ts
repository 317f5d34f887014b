/** Set by the stage `deep-random` of `npm run test:deep`. */
const FACTOR = Number(process.env['HOLDFAST_RUNS'] ?? 1);

/** The number of runs of a random test: these in `npm test`, and many times as many in `npm run test:deep`. */
export function runs(quick: number): number {
  return Math.ceil(quick * FACTOR);
}
