import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '@holdfast/core/backend';
import { assertPlain, plainJson, readText } from '../foreign/plain-json.ts';
import { parseStory, ScheduleError, type Story, storyFromString } from '../simulator/index.ts';

/** The folder of stories in this package; the path is equal from `src` and from `dist`. */
const SHIPPED = fileURLToPath(new URL('../../stories/', import.meta.url));

/** A thousand times the size of a story. */
const BYTES_MAX = 1_000_000;

/** A story with its name. */
export interface StorySource {
  readonly name: string;
  readonly story: Story;
}

/** The names of the stories in this package. */
function shippedStories(): readonly string[] {
  if (!existsSync(SHIPPED)) return [];
  return readdirSync(SHIPPED)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .toSorted();
}

/**
 * Reads a story from a replay string, a file, or by the name of a story in this package.
 * @throws ScheduleError saying what is wrong with the story, or that there is none
 */
export function readStory(where: string): StorySource {
  if (/^r\d+\./.test(where.trim())) return { name: 'the story', story: ofString(where) };
  if (isShipped(where)) return { name: where, story: ofFile(join(SHIPPED, `${where}.json`)) };
  if (existsSync(where)) return { name: where, story: ofFile(where) };
  throw missing(where);
}

function isShipped(name: string): boolean {
  return shippedStories().includes(name);
}

function ofFile(path: string): Story {
  return parseStory(plainJson(textAt(path), (why, cause) => storyError(`${path} ${why}`, cause)));
}

function textAt(path: string): string {
  try {
    return readText(path, BYTES_MAX);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw storyError(`${path} cannot be read: ${why}`, cause);
  }
}

function ofString(text: string): Story {
  try {
    const story = storyFromString(text);
    assertPlain(story, (why) => storyError(`this replay string ${why}`));
    return story;
  } catch (cause) {
    // Endless nesting overflows the stack of the parser.
    if (cause instanceof RangeError)
      throw storyError('this replay string is nested too deeply', cause);
    throw cause;
  }
}

function storyError(why: string, cause?: unknown): ScheduleError {
  return new ScheduleError('', why, cause);
}

function missing(where: string): ScheduleError {
  const isPath = /[/\\]|\.json$/.test(where);
  if (isPath) return storyError(`there is no file ${where}`);
  const names = shippedStories();
  return storyError(
    `unknown story "${where}"; there is no such file either.${didYouMean(where, names)}`,
  );
}
