import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Installation advice for error messages. */
export const ETCD_HINT: string =
  process.platform === 'darwin'
    ? 'install it with `brew install etcd`, or set ETCD_SERVER to its path'
    : 'install it with `sudo apt-get install etcd-server`, or set ETCD_SERVER to its path';

/** Returns the path of etcd: `ETCD_SERVER`, else on PATH; undefined if it is not installed. */
export function findEtcd(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return find('ETCD_SERVER', 'etcd', env);
}

/** Returns the path of etcdctl: `ETCDCTL`, else on PATH; undefined if it is not installed. */
export function findEtcdctl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return find('ETCDCTL', 'etcdctl', env);
}

/** Returns the version that this etcd prints; empty if it prints none. */
export function etcdVersion(binary: string): string {
  const printed = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout;
  return /etcd Version: (\S+)/.exec(printed)?.[1] ?? '';
}

function find(variable: string, name: string, env: NodeJS.ProcessEnv): string | undefined {
  const named = env[variable];
  const folders = (env['PATH'] ?? '').split(delimiter);
  const candidates = named === undefined ? folders.map((folder) => join(folder, name)) : [named];
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
