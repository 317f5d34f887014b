import { ConfigError } from '@holdfast/core';
import { didYouMean, redactUrl, shown } from '@holdfast/core/backend';
import type { Config } from '../backends/built-in.ts';
import { checkConfig } from './check-config.ts';

/** A configuration, and how errors name it. */
export interface Named {
  readonly config: unknown;
  readonly where: string;
}

/**
 * Checks the configuration that `store` names, or the whole where there is only one.
 * @param source a configuration, or `{ stores: { name: configuration, … } }`
 * @param prepare completes the chosen configuration before it is checked; the others are left alone
 * @throws ConfigError if `store` is missing, unknown, there are no stores to choose from, or the configuration is wrong
 */
export function checkedStore(
  source: Named,
  store: string | undefined,
  prepare: (config: unknown, where: string) => unknown = (config) => config,
): Config {
  const { config, where } = storeOf(source, store);
  return checkConfig(prepare(config, where), where);
}

function storeOf({ config, where }: Named, store: string | undefined): Named {
  if (!isObject(config) || !Object.hasOwn(config, 'stores')) {
    if (store === undefined) return { config, where };
    throw new ConfigError(
      `${where} is one configuration and has no "stores", so the store ${shown(store)} cannot be chosen; leave "store" out`,
    );
  }
  const { stores, $schema: _, ...others } = config;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new ConfigError(
      `${where}: "${redactUrl(other)}" beside "stores" has no meaning; write it into each of them`,
    );
  }
  const names = isObject(stores) ? Object.keys(stores).map(redactUrl) : [];
  if (!isObject(stores) || names.length === 0) {
    throw new ConfigError(
      `${where}: stores must be an object such as { "orders": { "backend": "memory" } }`,
    );
  }
  const there = `There are ${names.join(', ')}.`;
  if (store === undefined) {
    throw new ConfigError(
      `${where} has several stores; choose one: { store: "${names[0]}" } in openLocks, --store ${names[0]} in a command. ${there}`,
    );
  }
  if (!Object.hasOwn(stores, store)) {
    throw new ConfigError(
      `${where} has no store ${shown(store)}.${didYouMean(store, names) || ` ${there}`}`,
    );
  }
  return { config: stores[store], where: `${where}, store ${shown(store)}` };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
