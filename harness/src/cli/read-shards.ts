import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readText } from '../foreign/plain-json.ts';
import type { ShardFile } from '../shards/gather-shards.ts';
import { isShardFile, ShardError } from '../shards/shard.ts';
import { parseShard } from '../shards/shard-text.ts';

/** Ten times what a report of the whole matrix takes. */
const BYTES_MAX = 64_000_000;

/**
 * Reads files, and of folders those that are named as shard reports are.
 * @throws ShardError for what is not there, or is no shard report
 */
export function readShards(paths: readonly string[]): readonly ShardFile[] {
  const files = new Map(paths.flatMap(filesAt).map((path) => [resolve(path), path]));
  return [...files.values()].map((where) => ({ where, report: parseShard(textAt(where), where) }));
}

function filesAt(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new ShardError(`there is no file ${path}`);
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true }).filter(isReport);
  if (names.length === 0)
    throw new ShardError(`there is no shard report in ${path}`, {
      hint: 'In a folder they are named shard-3-of-8.json, or end in -shard-3-of-8.json.',
    });
  return names.map(({ name }) => join(path, name)).toSorted();
}

function isReport(entry: Dirent): boolean {
  return entry.isFile() && isShardFile(entry.name);
}

function textAt(path: string): string {
  try {
    return readText(path, BYTES_MAX);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ShardError(`${path} cannot be read: ${why}`, { cause });
  }
}
