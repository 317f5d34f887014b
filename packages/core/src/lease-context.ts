import type { Background } from './background.ts';
import type { DeadlineHeap } from './deadline-heap.ts';
import type { LockEventOf } from './events.ts';
import type { Host } from './port.ts';

/** The parts of a `Locks` that its leases share. */
export interface LeaseContext {
  readonly host: Host;
  readonly backend: string;
  /** True if the ttl is fixed when the backend is opened. */
  readonly isSession: boolean;
  /** True if another process can take over a lease. */
  readonly canAdopt: boolean;
  readonly deadlines: DeadlineHeap;
  /** Deadlines of keys under `keepMs`: only the monotonic clock frees them. */
  readonly retainedDeadlines: DeadlineHeap;
  /** Runs releases that no caller waits for. */
  readonly background: Background;
}

type WithoutContender<Event> = Event extends unknown
  ? Omit<Event, 'key' | 'backend' | 'contender'>
  : never;

/** An event of a lease, without the fields that all events of one lease share. */
export type LeaseEvent = WithoutContender<
  LockEventOf<'exported' | 'leaked' | 'lost' | 'released' | 'renewed'>
>;
