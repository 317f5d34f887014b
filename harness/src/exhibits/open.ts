import {
  type Backend,
  ConfigError,
  checkNamespace,
  type Host,
  type OpenBackend,
} from '@holdfast/core';
import { openRedisNode, type RedisLibrary, type RedisSource } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { Exhibit } from './backend.ts';
import { EXHIBITS } from './exhibits.ts';
import type { Recipe } from './recipe.ts';

const POLL_MS = 100;

/** Where the locks are kept; exactly one of `source` and `node`. */
export interface ExhibitOptions {
  /** Which exhibit, by its name. */
  readonly name: string;
  /** A URL, or a client of ioredis or node-redis, taken for its configuration; see `openRedisNode`. */
  readonly source?: RedisSource | undefined;
  /** A node that is open already; it stays its owner's to close. */
  readonly node?: RedisNode | undefined;
  /** For a URL: which client library. By default whichever is installed, ioredis first. */
  readonly library?: RedisLibrary | undefined;
  /** The first part of every stored name; default `holdfast`. */
  readonly namespace?: string | undefined;
  /** How long a waiter sleeps before it looks again, in ms, of which a random half is taken off. Default 100. */
  readonly pollMs?: number | undefined;
}

/**
 * Opens a lock that is kept to be shown. It emits a `warning` event that says what breaks it.
 * @throws ConfigError for a name that is none of theirs, or a source that cannot be used
 */
export async function openExhibit(options: ExhibitOptions, host: Host): Promise<Backend> {
  const { name, source, library, namespace = 'holdfast', pollMs = POLL_MS } = options;
  const shown = EXHIBITS.find((each) => each.name === name);
  if (shown === undefined) throw new ConfigError(`unknown exhibit "${name}"`);
  checkNamespace(namespace, name);
  if ((source === undefined) === (options.node === undefined))
    throw new ConfigError(`${name} needs either a source (a URL or a client) or a node`);
  const node =
    options.node ?? (await openRedisNode(source ?? '', { runtime: host.runtime, library }));
  const message = `${name} is kept to be shown, not to be used: ${shown.flaw}`;
  host.emit({ type: 'warning', backend: name, code: 'exhibit', message });
  const ownsNode = options.node === undefined;
  return new Exhibit({ recipe: shown, nodes: [node], ownsNode, namespace, pollMs }, host);
}

/** What the simulator opens a lock of one's own with. */
export interface RecipeOptions {
  readonly nodes: readonly RedisNode[];
}

/** A recipe of one's own as `openBackend`, for `holdfast find ./my-lock.js`: to learn with, not to be used. */
export function recipe(own: Omit<Recipe, 'name' | 'flaw'>): OpenBackend<RecipeOptions> {
  return named({ ...own, name: 'recipe', flaw: 'nobody knows yet' });
}

/** A recipe over all its nodes as `openBackend`; they stay their owner's to close. */
export function named(shown: Recipe): OpenBackend<RecipeOptions> {
  return ({ nodes: [node, ...others] }, host) => {
    if (node === undefined) throw new ConfigError(`${shown.name} needs a node`);
    const nodes = [node, ...others] as const;
    const parts = { recipe: shown, nodes, ownsNode: false, namespace: 'holdfast', pollMs: POLL_MS };
    return Promise.resolve(new Exhibit(parts, host));
  };
}
