import type { Scene } from '../draw/index.ts';
import {
  parseStoryText,
  type Schedule,
  type Story,
  type StoryCode,
  type Subject,
  storyFromString,
} from '../simulator/index.ts';
import { type Catalogue, catalogue } from './catalogue.ts';
import { type Choice, dealt } from './deal.ts';
import { type Film, filmOf, firstFilmOf } from './film.ts';
import { scenesOn } from './on-locks.ts';
import { type Placement, withFault, withMoved, withoutFault } from './place.ts';
import { connect, type LockChoice, playableOf } from './playable.ts';
import { type RealmPort, realmPlayable } from './realm.ts';
import { type Seek, type Seeking, type SeekProgress, seek } from './seek.ts';

/** What the page requests of its worker, by name. */
export interface Requests {
  catalogue: { readonly request: object; readonly result: Catalogue };
  /** Reads a replay string, or the JSON of a story, and runs nothing. */
  story: { readonly request: { readonly text: string }; readonly result: Story };
  /** The same, and plays it. */
  read: { readonly request: { readonly text: string }; readonly result: Film };
  deal: { readonly request: Choice; readonly result: Film };
  seek: { readonly request: Choice & Seek; readonly result: Seeking };
  edit: { readonly request: Edit; readonly result: Film };
  /** Has runs of this code played through a port to its realm. */
  connect: {
    readonly request: {
      readonly lock: string;
      readonly code: StoryCode;
      readonly port: RealmPort;
    };
    readonly result: object;
  };
  compare: {
    readonly request: { readonly story: Story; readonly locks: readonly string[] };
    readonly result: readonly Scene[];
  };
}

export type RequestName = keyof Requests;

/** A change of a schedule: a fault is added, or the `nth` is moved, or removed. */
export interface Edit extends LockChoice {
  readonly schedule: Schedule;
  readonly add?: Placement;
  readonly nth?: number;
  readonly move?: { readonly atMs?: number; readonly ms?: number };
}

type Answers = {
  readonly [N in RequestName]: (
    request: Requests[N]['request'],
    onProgress: (progress: SeekProgress) => void,
  ) => Promise<Requests[N]['result']>;
};

const ANSWERS: Answers = {
  catalogue: () => Promise.resolve(catalogue()),
  read: async ({ text }) => await filmOf(read(text)),
  story: ({ text }) => Promise.resolve(read(text)),
  deal: async (choice) => {
    const lock = playableOf(choice);
    return await firstFilmOf(await dealt(choice, lock), lock);
  },
  seek: async (choice, onProgress) => await seek(choice, playableOf(choice), onProgress),
  edit: async (edit) => {
    const lock = playableOf(edit);
    return await firstFilmOf(edited(edit, lock.subject), lock);
  },
  connect: async ({ lock, code, port }) => {
    connect(await realmPlayable({ lock, code }, port));
    return {};
  },
  compare: async ({ story, locks }) => await scenesOn(story, locks),
};

/**
 * Answers one request of the page.
 * @throws ScheduleError for input that cannot be played, with the place and the reason
 */
export async function answer<N extends RequestName>(
  name: N,
  request: Requests[N]['request'],
  onProgress: (progress: SeekProgress) => void,
): Promise<Requests[N]['result']> {
  return await ANSWERS[name](request, onProgress);
}

/** @throws ScheduleError for text that is neither */
function read(text: string): Story {
  return text.trimStart().startsWith('{') ? parseStoryText(text) : storyFromString(text);
}

function edited({ schedule, add, nth, move }: Edit, subject: Subject): Schedule {
  if (add !== undefined) return withFault(schedule, add, subject);
  if (nth === undefined) return schedule;
  return move === undefined ? withoutFault(schedule, nth) : withMoved(schedule, nth, move);
}
