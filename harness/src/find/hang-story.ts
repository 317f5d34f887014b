import { minimise, type Schedule, type Story } from '../simulator/index.ts';
import { HangError, type LockRunner } from './lock-runner.ts';
import type { SearchRequest } from './search-request.ts';
import { HANG_MS, openThreadRunner } from './thread-runner.ts';

/** The story of a schedule in which a lock's code never yields. */
export interface HangStory {
  readonly story: Story;
  /** The number of runs that minimising took; 0 if the schedule is as it was found. */
  readonly plays: number;
}

/** A run computes for milliseconds; the result is checked at the end with the full limit. */
const SHRINK_HANG_MS = 250;

/**
 * Makes a story of a schedule in which a lock hangs. Without a trace the story only expects the lock to be stuck.
 * Minimising removes elements, but reduces no numbers: every hang costs a thread and a quarter of a second.
 */
export async function hangStory(
  { lock, folder, fenced }: Pick<SearchRequest, 'lock' | 'folder' | 'fenced'>,
  schedule: Schedule,
): Promise<HangStory> {
  const watch = new HangWatch(lock, folder, SHRINK_HANG_MS);
  const { schedule: small, plays } = await minimise(schedule, (each) => watch.hangs(each), {
    numbers: false,
  });
  await watch.end();
  const last = new HangWatch(lock, folder, HANG_MS);
  const isSmall = await last.hangs(small);
  await last.end();
  const kept = isSmall ? small : schedule;
  const story: Story = {
    v: 1,
    backend: lock,
    fault: kept.faults[0]?.kind ?? 'none',
    fenced,
    property: 'liveness',
    schedule: kept,
    expect: { kind: 'stuck', hash: '' },
  };
  return { story, plays: isSmall ? plays : 0 };
}

/** Runs schedules in a thread that is terminated after a hang, and then started again. */
class HangWatch {
  readonly #open: () => Promise<LockRunner>;
  #runner: LockRunner | undefined;

  constructor(lock: string, folder: string, hangMs: number) {
    this.#open = () => openThreadRunner(lock, folder, { hangMs });
  }

  async hangs(schedule: Schedule): Promise<boolean> {
    try {
      this.#runner ??= await this.#open();
      await this.#runner.play(schedule);
      return false;
    } catch (error) {
      // Any other error has ended the thread, too.
      this.#runner = undefined;
      return error instanceof HangError;
    }
  }

  async end(): Promise<void> {
    await this.#runner?.close();
  }
}
