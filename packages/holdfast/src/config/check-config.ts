import { ConfigError, REQUIREMENTS, shown } from '@holdfast/core';
import * as v from 'valibot';
import { didYouMean } from './nearest.ts';
import { redactUrl } from './redact.ts';
import {
  importedConfig,
  memoryConfig,
  redisGetsetConfig,
  redisSimpleConfig,
  redlockConfig,
  zkConfig,
} from './schemas.ts';
import type { Config } from './types.ts';
import { parseZkUrl } from './zk-url.ts';

type Issue = v.BaseIssue<unknown>;

/** The backends that have a schema of their own; others check their options themselves. */
const SCHEMAS: ReadonlyMap<string, v.GenericSchema<Config>> = new Map<
  string,
  v.GenericSchema<Config>
>([
  ['memory', memoryConfig],
  ['redis-simple', redisSimpleConfig],
  ['redis-getset', redisGetsetConfig],
  ['redlock', redlockConfig],
  ['zk', zkConfig],
]);
/** Backends that are opened with one server, named by its URL or by a client. */
const ON_ONE_SERVER: ReadonlySet<string> = new Set(['redis-simple', 'redis-getset']);
/** What is left out on purpose, and why. */
const LEFT_OUT: { readonly [option: string]: string } = {
  'redlock.quorum': 'it cannot be chosen: only a majority shares a node with every other.',
};

/**
 * Checks a configuration before anything is opened.
 * @param where what to name in errors: a file, or `config`
 * @throws ConfigError naming the option, what is wrong with it, and the nearest one that exists
 */
export function checkConfig(config: unknown, where: string): Config {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new ConfigError(`${where} must be an object such as { "backend": "memory" }`);
  }
  const backend = 'backend' in config ? config.backend : undefined;
  if (typeof backend !== 'string' || backend === '') throw missingBackend(config, where);
  const known = SCHEMAS.get(backend);
  const result = v.safeParse(known ?? importedConfig, config);
  if (!result.success) throw complaintOf(result.issues, optionsOf(known), where, backend);
  if (ON_ONE_SERVER.has(backend)) checkClient(config, where, backend);
  if (backend === 'zk') checkZk(config, where);
  return result.output;
}

function missingBackend(config: object, where: string): ConfigError {
  const names = [...SCHEMAS.keys()].join(', ');
  const misspelt = Object.keys(config).find((key) => didYouMean(key, ['backend']) !== '');
  const hint =
    misspelt === undefined || misspelt === 'backend' ? '' : ` Is "${misspelt}" meant to be it?`;
  return new ConfigError(
    `${where} needs "backend": one of ${names}, or the name of a package or file.${hint}`,
  );
}

/** The options that a backend's schema names; undefined where anything goes. */
function optionsOf(schema: v.GenericSchema<Config> | undefined): readonly string[] | undefined {
  const entries = schema !== undefined && 'entries' in schema ? schema.entries : undefined;
  return typeof entries === 'object' && entries !== null ? Object.keys(entries) : undefined;
}

/** The options that some backend's schema names. */
export function optionNames(): readonly string[] {
  return [...SCHEMAS.values()].flatMap((schema) => optionsOf(schema) ?? []);
}

/** A strict object complains alike of an option that is missing and of one that it does not know. */
function isStray({ type, path }: Issue, options: readonly string[] | undefined): boolean {
  return type === 'strict_object' && options?.includes(String(path?.[0]?.key)) === false;
}

function complaintOf(
  issues: readonly [Issue, ...Issue[]],
  options: readonly string[] | undefined,
  where: string,
  backend: string,
): ConfigError {
  // What is missing may be there under the wrong name, so that name comes first.
  const issue = issues.find((each) => isStray(each, options)) ?? issues[0];
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const say = (message: string): ConfigError =>
    new ConfigError(`${where}: ${message}`, { backend: redactUrl(backend) });
  const [option = ''] = path;
  if (isStray(issue, options)) return say(unknownOption(option, options ?? [], backend));
  if (issue.type === 'strict_object') return say(`backend ${backend} needs "${option}".`);
  const { input } = issue;
  const isListed = path[0] === 'require' && path.length > 1 && typeof input === 'string';
  const hint = isListed ? didYouMean(input, REQUIREMENTS) : '';
  return say(`${path[0] ?? 'it'} ${issue.message}, not ${shown(input)}.${hint}`);
}

function unknownOption(option: string, options: readonly string[], backend: string): string {
  const known = options.filter((name) => name !== '$schema' && name !== 'backend');
  const why = LEFT_OUT[`${backend}.${option}`];
  if (why !== undefined) return `backend ${backend} has no option "${option}": ${why}`;
  const hint = didYouMean(option, known);
  const list = hint === '' ? ` It takes ${known.join(', ')}.` : hint;
  return `backend ${backend} has no option "${redactUrl(option)}".${list}`;
}

/** A server is named once: by its URL, or by a client that knows it. */
function checkClient(config: object, where: string, backend: string): void {
  const { url, client, asIs, library } = config as Partial<Record<string, unknown>>;
  const say = (message: string): never => {
    throw new ConfigError(`${where}: ${message}`, { backend });
  };
  if (url === undefined && client === undefined) {
    say(`backend ${backend} needs "url", for example "redis://localhost:6379", or "client".`);
  }
  if (url !== undefined && client !== undefined) say('"url" and "client" exclude each other.');
  if (client === undefined && asIs !== undefined)
    say('"asIs" says how to take a "client"; there is none.');
  if (client !== undefined && library !== undefined)
    say('"library" says how to open "url"; a "client" is open.');
}

/** What one option of a ZooKeeper configuration says and another gainsays. */
function checkZk(config: object, where: string): void {
  const { url, ttlMs, client, tls } = config as Partial<Record<string, unknown>>;
  const say = (message: string): never => {
    throw new ConfigError(`${where}: ${message}`, { backend: 'zk' });
  };
  const { auth, sessionTimeoutMs } = parseZkUrl(String(url));
  if (sessionTimeoutMs !== undefined && ttlMs !== undefined)
    say('"ttlMs" and the sessionTimeout of "url" are one thing; give one of them.');
  if (client !== 'zookeeper') return;
  if (auth !== undefined)
    say('npm zookeeper cannot protect nodes by credentials; "zk-client" can.');
  if (tls !== undefined) say('"tls" is for "zk-client"; npm zookeeper has none.');
}
