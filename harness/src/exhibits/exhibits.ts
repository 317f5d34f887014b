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

/** Every exhibit, in the order in which each repairs the one before it. */
export const EXHIBITS: readonly Recipe[] = [
  setnxDel,
  setnxExpire,
  setNxFixed,
  setNxSameId,
  setNxGetDel,
  setNxLua,
];

/** What the debate about Redlock argues about, made so that it can be played. */
export const DEBATED: readonly Recipe[] = [redlockOneLook, redlockCounters, fenceAlone];
