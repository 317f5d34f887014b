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
