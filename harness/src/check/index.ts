export { judgeAnswers } from './answers.ts';
export { belief } from './belief.ts';
export { fifo, type QueueTicket } from './fifo.ts';
export type { HoldRecord, HoldStatus } from './hold-record.ts';
export { Judge, judge, overlapMs } from './judge.ts';
export { lateLoss } from './late-loss.ts';
export {
  judgeEarlyGrant,
  type KeyFreed,
  type LeaseMargin,
  leaseMarginsOf,
} from './lease-margin.ts';
export { mutualExclusion } from './mutual-exclusion.ts';
export { type KeyChange, ownership } from './ownership.ts';
export type { AttemptRecord, RefusalRecord, StoredSpan } from './refusal-record.ts';
export { judgeRefusals } from './refusals.ts';
export { resource } from './resource.ts';
export { judgeResourceOrder } from './resource-order.ts';
export { median, percentile } from './statistics.ts';
export { explain } from './verdict.ts';
