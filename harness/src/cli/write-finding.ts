import { join } from 'node:path';
import { holdfastVersion, type Io } from 'holdfast/internal';
import { inkFor } from '../compare/paint.ts';
import type { SearchFinding } from '../find/find.ts';
import { formatFinding } from '../find/format-finding.ts';
import { findingJson } from '../find/json.ts';
import type { SearchRequest } from '../find/search-request.ts';
import type { Story } from '../simulator/index.ts';
import { fileFor, writeText } from './output-files.ts';

/** The exit code of `find` and `merge` if nothing was found. */
export const NOT_FOUND = 3;

interface FindingOutputOptions {
  /** The path of the story's file. */
  readonly path: string;
  readonly isJson: boolean;
  /** More output, for people and for programs. */
  readonly more?: { readonly lines: readonly string[]; readonly json: object };
}

/** Writes the found story to its file, and prints the finding. */
export function writeFinding(
  { finding, request }: { readonly finding: SearchFinding; readonly request: SearchRequest },
  { path, isJson, more = { lines: [], json: {} } }: FindingOutputOptions,
  io: Io,
): void {
  const story = storyIn(finding);
  if (story !== undefined) writeText(path, `${JSON.stringify(story, null, 2)}\n`);
  if (isJson) {
    const json = { ...findingJson(finding, request, holdfastVersion()), ...more.json };
    io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
    return;
  }
  const lines = formatFinding(finding, request, path, inkFor(io.stdout, io.env));
  io.stdout.write(`${[...lines, ...more.lines].join('\n')}\n`);
}

function storyIn(finding: SearchFinding): Story | undefined {
  if (finding.kind === 'none') return undefined;
  return finding.kind === 'hang' ? finding.story : finding.traced.story;
}

/** @throws UsageError if nothing can be written there */
export function storyFile(request: SearchRequest, out: string | undefined): string {
  return fileFor(out, join('out', 'find', `${nameOf(request)}.json`));
}

/** `redis-simple-failover`. */
export function nameOf({ lock, faults }: SearchRequest): string {
  return `${stemOf(lock)}-${faults.join('-')}`;
}

/** The most characters of a lock's name, to leave room for faults in a file name. */
const STEM_MAX = 80;

/**
 * The start of names of files about a lock; of a file the last part of its path. The lock's name may come from a
 * foreign shard.
 */
export function stemOf(lock: string): string {
  const last = lock.split(/[/\\]/).at(-1) ?? '';
  const name = last.replace(/\.[cm]?[jt]s$/, '').replaceAll(/[^\p{L}\p{N}._@-]/gu, '-');
  return name.slice(0, STEM_MAX);
}
