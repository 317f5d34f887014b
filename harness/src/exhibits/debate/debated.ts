import type { Recipe } from '../recipe.ts';
import { fenceAlone } from './fence-alone.ts';
import { redlockCounters } from './redlock-counters.ts';
import { redlockOneLook } from './redlock-one-look.ts';

/** What the debate about Redlock argues about, made so that it can be played. */
export const DEBATED: readonly Recipe[] = [redlockOneLook, redlockCounters, fenceAlone];
