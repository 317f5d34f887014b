import { join } from 'node:path';
import { holdfastVersion, type Io } from 'holdfast/internal';
import { inkFor } from '../compare/paint.ts';
import type { SearchFinding } from '../find/find.ts';
import { formatFinding } from '../find/format-finding.ts';
import { findingJson } from '../find/json.ts';
import type { SearchRequest } from '../find/search-request.ts';
import type { Story } from '../simulator/index.ts';
import { fileFor, writeText } from './output-files.ts';

/** Of `find`, and of merging what it found. */
export const NOT_FOUND = 3;

interface FindingOutputOptions {
  /** Where the story goes. */
  readonly path: string;
  readonly isJson: boolean;
  /** What else there is to say, for people and for programs. */
  readonly more?: { readonly lines: readonly string[]; readonly json: object };
}

/** Writes the story that was found to its file, and prints the finding. */
export function writeFinding(
  { finding, quest }: { readonly finding: SearchFinding; readonly quest: SearchRequest },
  { path, isJson, more = { lines: [], json: {} } }: FindingOutputOptions,
  io: Io,
): void {
  const story = storyIn(finding);
  if (story !== undefined) writeText(path, `${JSON.stringify(story, null, 2)}\n`);
  if (isJson) {
    const json = { ...findingJson(finding, quest, holdfastVersion()), ...more.json };
    io.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
    return;
  }
  const lines = formatFinding(finding, quest, path, inkFor(io.stdout, io.env));
  io.stdout.write(`${[...lines, ...more.lines].join('\n')}\n`);
}

function storyIn(finding: SearchFinding): Story | undefined {
  if (finding.kind === 'none') return undefined;
  return finding.kind === 'hang' ? finding.story : finding.traced.story;
}

/** @throws UsageError where nothing can be written there */
export function storyFile(quest: SearchRequest, out: string | undefined): string {
  return fileFor(out, join('out', 'find', `${nameOf(quest)}.json`));
}

/** `redis-simple-failover`. */
export function nameOf({ lock, faults }: SearchRequest): string {
  return `${stemOf(lock)}-${faults.join('-')}`;
}

/** Room for the faults, within what names of files may have. */
const STEM_MAX = 80;

/** What to call files about a lock; of a file the last part of its path. The name may come from a shard of others. */
export function stemOf(lock: string): string {
  const last = lock.split(/[/\\]/).at(-1) ?? '';
  const name = last.replace(/\.[cm]?[jt]s$/, '').replaceAll(/[^\p{L}\p{N}._@-]/gu, '-');
  return name.slice(0, STEM_MAX);
}
