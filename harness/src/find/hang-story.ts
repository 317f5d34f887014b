import { minimise, type Schedule, type Story } from '../simulator/index.ts';
import { HangError, type LockRunner } from './lock-runner.ts';
import type { SearchRequest } from './search-request.ts';
import { HANG_MS, openThreadRunner } from './thread-runner.ts';

/** What became of a schedule in which a lock's code never yields. */
export interface HangStory {
  readonly story: Story;
  /** How many plays making it small took; 0 where it stayed as it was found. */
  readonly plays: number;
}

/** A play takes milliseconds; what a busy machine holds up for so long is played again at full length at the end. */
const SHRINK_HANG_MS = 1_000;

/**
 * A story of a schedule in which a lock hangs: there is no trace to hold it to, so that it expects to be stuck and no
 * more. Elements are taken away, but no number is made smaller: every try that hangs costs a thread and a second.
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

/** Plays in a thread that is ended whenever the lock hangs, and started anew. */
class HangWatch {
  readonly #open: () => Promise<LockRunner>;
  #runner: LockRunner | undefined;

  constructor(lock: string, folder: string, stillMs: number) {
    this.#open = () => openThreadRunner(lock, folder, stillMs);
  }

  async hangs(schedule: Schedule): Promise<boolean> {
    try {
      this.#runner ??= await this.#open();
      await this.#runner.play(schedule);
      return false;
    } catch (error) {
      // Whatever else ended it has ended its thread, too.
      this.#runner = undefined;
      return error instanceof HangError;
    }
  }

  async end(): Promise<void> {
    await this.#runner?.close();
  }
}
