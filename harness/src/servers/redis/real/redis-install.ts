import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of redis-server: `REDIS_SERVER`, else on PATH; undefined if it is not installed. */
export function findRedisServer(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['REDIS_SERVER'];
  const candidates =
    named === undefined
      ? (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'))
      : [named];
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the version of the installed server, for reports; undefined if it is not installed. */
export function redisServerVersion(): string | undefined {
  const binary = findRedisServer();
  if (binary === undefined) return undefined;
  return /v=(\S+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1];
}
