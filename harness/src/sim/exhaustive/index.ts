export { type ExhaustOptions, exhaust, type Whole } from './exhaust.ts';
export type { Explored } from './explore.ts';
export type { Tempo } from './leaps.ts';
export type { Scope } from './scope.ts';
export { type Shows, shorten } from './shorten.ts';
