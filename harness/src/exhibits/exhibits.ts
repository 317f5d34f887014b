import { fenceAlone } from './debate/fence-alone.ts';
import { redlockCounters } from './debate/redlock-counters.ts';
import { redlockOneLook } from './debate/redlock-one-look.ts';
import type { Recipe } from './recipe.ts';
import { setNxFixed } from './set-nx-fixed.ts';
import { setNxGetDel } from './set-nx-get-del.ts';
import { setNxLua } from './set-nx-lua.ts';
import { setNxSameId } from './set-nx-same-id.ts';
import { setnxDel } from './setnx-del.ts';
import { setnxExpire } from './setnx-expire.ts';

/** All exhibits; each repairs the one before it. */
export const EXHIBITS: readonly Recipe[] = [
  setnxDel,
  setnxExpire,
  setNxFixed,
  setNxSameId,
  setNxGetDel,
  setNxLua,
];

/** Recipes from the debate about Redlock, in a form that can run. */
export const DEBATED: readonly Recipe[] = [redlockOneLook, redlockCounters, fenceAlone];
