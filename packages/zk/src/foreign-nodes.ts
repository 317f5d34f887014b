import type { Host } from '@holdfast/core';
import { NAME } from './identity.ts';

/** More keys than this with somebody else's nodes in them are not a mishap that anybody needs to be told of one by one. */
const WARNINGS_MAX = 1_000;

/** Tells of each key once that somebody else's nodes stand in its container; they are neither counted nor touched. */
export function foreignNodeWarner(host: Host): (key: string, names: readonly string[]) => void {
  const warned = new Set<string>();
  return (key, names) => {
    if (names.length === 0 || warned.has(key) || warned.size === WARNINGS_MAX) return;
    warned.add(key);
    const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    const message = `${NAME}: the container of key ${JSON.stringify(key)} contains nodes that are not contenders; they are left alone: ${shown.join(', ')}${more}`;
    host.emit({ type: 'warning', backend: NAME, code: 'foreign-node', message, key });
  };
}
