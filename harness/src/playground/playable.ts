import { didYouMean } from '@holdfast/core/backend';
import { OWN_LOCK } from '../edited/names.ts';
import { builtInSubject, LOCK_NAMES } from '../locks/index.ts';
import { type Player, playGuarded } from '../search/index.ts';
import { ScheduleError, type StoryCode, type Subject } from '../simulator/index.ts';

/** A lock, and where its runs are played: here, or in a realm of their own. */
export interface Playable {
  readonly subject: Subject;
  readonly player: Player;
  /** The code that takes the place of the lock's own. */
  readonly code?: StoryCode;
}

/** The name of a lock, and the code that takes the place of its own. */
export interface LockChoice {
  readonly lock: string;
  readonly code?: StoryCode | undefined;
}

/** The realm in which edited code runs; one at a time, since a reader edits one lock. */
let connected: { readonly key: string; readonly playable: Playable } | undefined;

/** From here on, runs of this code are played so. */
export function connect(playable: Playable): void {
  connected = { key: keyOf(playable.subject.name, playable.code), playable };
}

/**
 * @throws ScheduleError for a lock that is not built in, and for code whose realm is not connected: none of it runs
 * here
 */
export function playableOf({ lock, code }: LockChoice): Playable {
  if (code === undefined) return { subject: builtIn(lock), player: playGuarded };
  if (connected?.key === keyOf(lock, code)) return connected.playable;
  throw new ScheduleError(
    'code',
    'this story carries code, which runs only after you have seen it',
  );
}

function keyOf(lock: string, code: StoryCode | undefined): string {
  return JSON.stringify([lock, code?.files]);
}

function builtIn(lock: string): Subject {
  const subject = builtInSubject(lock);
  if (subject !== undefined) return subject;
  if (lock === OWN_LOCK) throw new ScheduleError('code', 'the code of this lock is missing');
  const isFile = /[/\\]|\.[cm]?[jt]s$/.test(lock);
  throw new ScheduleError(
    'backend',
    isFile
      ? `${lock} is a file of its author; play this story with npx holdfast replay`
      : `unknown lock "${lock}".${didYouMean(lock, LOCK_NAMES)}`,
  );
}
