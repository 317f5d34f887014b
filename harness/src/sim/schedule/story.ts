import type { FaultId, PropertyId } from '@holdfast/core/backend';
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';
import type { FaultRegistry } from './fault.ts';
import { readSchedule, readVersion, VERSION } from './parse.ts';
import { JsonReader, ScheduleError } from './reader.ts';
import type { Schedule } from './schedule.ts';

/**
 * The property that a story violates; `liveness` is for violations that a history cannot show: endless waits, leaks.
 */
export type StoryProperty = Exclude<PropertyId, 'server-state'> | 'liveness';

/** A minimal schedule with its expected result: people read, replay and draw it. */
export interface Story {
  readonly v: 1;
  /** The backend's name, or the path of a file that exports one. */
  readonly backend: string;
  /** The fault that the story shows, one of those in the schedule. */
  readonly fault: FaultId;
  /** True if the resource in question compares fencing tokens. */
  readonly fenced: boolean;
  readonly property: StoryProperty;
  readonly schedule: Schedule;
  readonly expect: ExpectedResult;
  /** Code that takes the place of the lock's own; it runs only after its reader has agreed to that. */
  readonly code?: StoryCode;
}

/** The files of a lock that differ from those that ship, or the one file of a lock that does not ship. */
export interface StoryCode {
  /** TypeScript or JavaScript, by path; below the source folder of the lock's package, if it has one. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ExpectedResult {
  /** `stuck`: the lock's code never yields, so the run cannot be judged and has to be killed. */
  readonly kind: 'ok' | 'violated' | 'unknown' | 'stuck';
  /** Of the trace: 16 hexadecimal digits; empty if the run is stuck, since it never completes a trace. */
  readonly hash: string;
}

const PROPERTIES: readonly StoryProperty[] = [
  'validity',
  'belief',
  'resource',
  'fifo',
  'ownership',
  'answers',
  'liveness',
];
const KINDS: readonly ExpectedResult['kind'][] = ['ok', 'violated', 'unknown', 'stuck'];
/** Precedes the output of `deflate` and base64url; the digit is the version of this wrapping. */
const PREFIX = 'r1.';
const PREFIX_ANY = /^r(\d+)\./;
/** The most characters of a replay string. A story takes a few hundred, with code some thousand. */
export const REPLAY_STRING_MAX = 32_768;
/** More than any recipe has. */
const CODE_FILES_MAX = 50;
const CODE_MAX = 100_000;

/**
 * Reads a story strictly.
 * @throws ScheduleError with the place and the reason
 */
export function parseStory(faults: FaultRegistry, value: unknown): Story {
  const reader = new JsonReader(value, '');
  readVersion(reader, 'story');
  reader.only(['v', 'backend', 'fault', 'fenced', 'property', 'schedule', 'expect', 'code']);
  const schedule = readSchedule(reader.at('schedule'), faults);
  return {
    v: VERSION,
    backend: reader.at('backend').text(1_000),
    fault: reader.at('fault').oneOf(['none', ...schedule.faults.map(({ kind }) => kind)]),
    fenced: reader.at('fenced').flag(),
    property: reader.at('property').oneOf(PROPERTIES),
    schedule,
    expect: readExpect(reader.at('expect').only(['kind', 'hash'])),
    ...(reader.has('code') ? { code: readCode(reader.at('code').only(['files'])) } : {}),
  };
}

function readCode(reader: JsonReader): StoryCode {
  const files = reader.at('files');
  const paths = files.names(CODE_FILES_MAX);
  const odd = paths.find((path) => !/^[\w-]+(\/[\w-]+)*\.[jt]s$/.test(path));
  if (odd !== undefined || paths.length === 0)
    files.refuse('must name files such as scripts.ts, one at least');
  return {
    files: Object.fromEntries(paths.map((path) => [path, files.at(path).text(CODE_MAX)])),
  };
}

function readExpect(reader: JsonReader): ExpectedResult {
  const kind = reader.at('kind').oneOf(KINDS);
  const hash = reader.at('hash').text();
  const isStuck = kind === 'stuck';
  if (isStuck && hash !== '')
    reader.at('hash').refuse('must be empty: what is stuck leaves no trace');
  if (!isStuck && !/^[0-9a-f]{16}$/.test(hash))
    reader.at('hash').refuse('must be 16 hexadecimal digits');
  return { kind, hash };
}

/** @throws ScheduleError for text that is no JSON, or no story */
export function parseStoryText(faults: FaultRegistry, text: string): Story {
  return parseStory(faults, json(text));
}

/** Returns a story as `r1.…`: letters, digits, `-` and `_`, short enough for the fragment of a URL. */
export function storyToString(story: Story): string {
  return PREFIX + toBase64Url(deflateSync(strToU8(JSON.stringify(story)), { level: 9 }));
}

/**
 * Reads the output of {@link storyToString}.
 * @throws ScheduleError for a string of another version, or one that was cut or altered
 */
export function storyFromString(faults: FaultRegistry, text: string): Story {
  const version = PREFIX_ANY.exec(text.trim())?.[1];
  if (version === undefined) throw new ScheduleError('', `a replay string begins with ${PREFIX}`);
  if (version !== PREFIX.slice(1, -1))
    throw new ScheduleError(
      '',
      `this is a replay string of version ${version}; this release reads ${PREFIX}`,
    );
  if (text.length > REPLAY_STRING_MAX)
    throw new ScheduleError('', `a replay string has at most ${REPLAY_STRING_MAX} characters`);
  return parseStoryText(faults, inflated(fromBase64Url(text.trim().slice(PREFIX.length))));
}

function inflated(bytes: Uint8Array): string {
  try {
    return strFromU8(inflateSync(bytes));
  } catch (cause) {
    throw damaged(cause);
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ScheduleError('', `invalid JSON, perhaps it was cut off: ${why}`, cause);
  }
}

function damaged(cause: unknown): ScheduleError {
  return new ScheduleError('', 'this replay string was cut or altered', cause);
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch (cause) {
    throw damaged(cause);
  }
}
