import { ConfigError } from '@holdfast/core';
import { type Backend, checkNamespace, type Host, type OpenBackend } from '@holdfast/core/backend';
import { openRedisNode, type RedisLibrary, type RedisSource } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { Exhibit } from './backend.ts';
import { EXHIBITS } from './exhibits.ts';
import type { Recipe } from './recipe.ts';

const POLL_MS = 100;

/** Options of an exhibit; exactly one of `source` and `node`. */
export interface ExhibitOptions {
  /** The name of the exhibit. */
  readonly name: string;
  /** A URL, or a client of ioredis or node-redis whose configuration is copied; see `openRedisNode`. */
  readonly source?: RedisSource | undefined;
  /** An open node; the caller closes it. */
  readonly node?: RedisNode | undefined;
  /** For a URL: the client library. By default an installed one, ioredis first. */
  readonly library?: RedisLibrary | undefined;
  /** The first part of every stored name; default `holdfast`. */
  readonly namespace?: string | undefined;
  /** The polling interval of a waiter, in ms, minus a random part of up to half. Default 100. */
  readonly pollMs?: number | undefined;
}

/**
 * Opens an exhibit. It emits a `warning` event that says what breaks it.
 * @throws ConfigError for an unknown name, or a source that cannot be used
 */
export async function openExhibit(options: ExhibitOptions, host: Host): Promise<Backend> {
  const { name, source, library, namespace = 'holdfast', pollMs = POLL_MS } = options;
  const exhibit = EXHIBITS.find((each) => each.name === name);
  if (exhibit === undefined) throw new ConfigError(`unknown exhibit "${name}"`);
  checkNamespace(namespace, name);
  if ((source === undefined) === (options.node === undefined))
    throw new ConfigError(`${name} needs either a source (a URL or a client) or a node`);
  const node =
    options.node ?? (await openRedisNode(source ?? '', { runtime: host.runtime, library }));
  const message = `${name} is an exhibit, not for use: ${exhibit.flaw}`;
  host.emit({ type: 'warning', backend: name, code: 'exhibit', message });
  const ownsNode = options.node === undefined;
  return new Exhibit({ recipe: exhibit, nodes: [node], ownsNode, namespace, pollMs }, host);
}

/** Options with which the simulator opens a user's recipe. */
export interface RecipeOptions {
  readonly nodes: readonly RedisNode[];
}

/** A user's recipe as `openBackend`, for `holdfast find ./my-lock.js`; for learning, not for use. */
export function recipe(own: Omit<Recipe, 'name' | 'flaw'>): OpenBackend<RecipeOptions> {
  return named({ ...own, name: 'recipe', flaw: 'its flaw is not known yet' });
}

/** A recipe over all its nodes as `openBackend`; the caller closes the nodes. */
export function named(recipeOfLock: Recipe): OpenBackend<RecipeOptions> {
  return ({ nodes: [node, ...others] }, host) => {
    if (node === undefined) throw new ConfigError(`${recipeOfLock.name} needs a node`);
    const nodes = [node, ...others] as const;
    const parts = {
      recipe: recipeOfLock,
      nodes,
      ownsNode: false,
      namespace: 'holdfast',
      pollMs: POLL_MS,
    };
    return Promise.resolve(new Exhibit(parts, host));
  };
}
