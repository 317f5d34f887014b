import type { ResourceLimits } from 'node:worker_threads';

/**
 * For a thread that plays schedules: what they leave dies young, by the million, and a tenth of the time goes into looking
 * through a young space of the usual size.
 */
export const YOUNG_SPACE: ResourceLimits = { maxYoungGenerationSizeMb: 96 };
