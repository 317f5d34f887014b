export type { Scope } from './exhaust.ts';
export { type ExhaustedRun, type ExhaustOptions, exhaust } from './exhaust.ts';
export type { Explored } from './explore.ts';
export { type ShowsViolation, shorten } from './shorten.ts';
export type { TimeModel } from './time-advancer.ts';
