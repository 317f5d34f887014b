import type { SaleStep } from './step.ts';
import { BROKEN } from './steps-broken.ts';
import { HOLDING } from './steps-holding.ts';
import { INSTEAD } from './steps-instead.ts';
import { NAIVE } from './steps-naive.ts';

/** Every step, in the order in which they are sold. */
export const STEPS: readonly SaleStep[] = [...NAIVE, ...BROKEN, ...HOLDING, ...INSTEAD];
