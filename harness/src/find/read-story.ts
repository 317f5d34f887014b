import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '@holdfast/core';
import { assertPlain, plainJson, readText } from '../foreign/plain-json.ts';
import { parseStory, ScheduleError, type Story, storyFromString } from '../simulator/index.ts';

/** The stories that come with this package; the same path leads there from `src` and from `dist`. */
const SHIPPED = fileURLToPath(new URL('../../stories/', import.meta.url));

/** A thousand times what a story takes. */
const BYTES_MAX = 1_000_000;

/** A story by where it is, and what to call it. */
export interface StorySource {
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
    // What nests without end overflows the stack of its reader.
    if (cause instanceof RangeError) throw storyError('this replay string nests too deep', cause);
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
  return storyError(`there is no story, and no file, "${where}".${didYouMean(where, names)}`);
}
