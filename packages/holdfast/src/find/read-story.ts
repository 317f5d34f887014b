import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseStoryText, ScheduleError, type Story, storyFromString } from '@holdfast/sim';
import { didYouMean } from '../config/nearest.ts';

/** The stories that come with this package; the same path leads there from `src` and from `dist`. */
const SHIPPED = fileURLToPath(new URL('../../stories/', import.meta.url));

/** A story by where it is, and what to call it. */
export interface Source {
  readonly name: string;
  readonly story: Story;
}

/** Names of the stories that come with this package. */
function shippedStories(): readonly string[] {
  if (!existsSync(SHIPPED)) return [];
  return readdirSync(SHIPPED)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .toSorted();
}

/**
 * Reads a story from a replay string, a file, or by the name of one that comes with this package.
 * @throws ScheduleError saying what is wrong with it, or that there is none
 */
export function readStory(where: string): Source {
  if (/^r\d+\./.test(where.trim())) return { name: 'the story', story: storyFromString(where) };
  if (isShipped(where)) return { name: where, story: ofFile(join(SHIPPED, `${where}.json`)) };
  if (existsSync(where)) return { name: where, story: ofFile(where) };
  throw missing(where);
}

function isShipped(name: string): boolean {
  return shippedStories().includes(name);
}

function ofFile(path: string): Story {
  return parseStoryText(readFileSync(path, 'utf8'));
}

function missing(where: string): ScheduleError {
  const isPath = /[/\\]|\.json$/.test(where);
  if (isPath) return new ScheduleError('', `there is no file ${where}`);
  const names = shippedStories();
  return new ScheduleError(
    '',
    `there is no story, and no file, "${where}".${didYouMean(where, names)}`,
  );
}
