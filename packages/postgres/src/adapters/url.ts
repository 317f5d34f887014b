import { ConfigError } from '@holdfast/core';
import { NAME } from '../identity.ts';

/** A password may contain `@`; hosts, and the name of a database, may not: else the rest of one with a `/` would match. */
const PARTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?[^@]*)?$/i;
const PORT = 5432;

/**
 * Returns host, port and database, without credentials, of a URL or of the options of a client.
 * @throws ConfigError, which quotes no part of a URL that it cannot read
 */
export function addressOf(target: string | object): string {
  if (typeof target === 'string') return ofUrl(target);
  const connectionString: unknown = Reflect.get(target, 'connectionString');
  if (typeof connectionString === 'string') return ofUrl(connectionString);
  const host = textOf(target, 'host') ?? 'localhost';
  const port = textOf(target, 'port') ?? `${PORT}`;
  return withDatabase(`${host}:${port}`, textOf(target, 'database') ?? '');
}

/** An option of a client: a text, a number, or a list of them. */
function textOf(target: object, name: string): string | undefined {
  const value: unknown = Reflect.get(target, name);
  if (typeof value === 'string' || typeof value === 'number') return `${value}`;
  return Array.isArray(value) ? value.join(',') : undefined;
}

function ofUrl(url: string): string {
  const parts = PARTS.exec(url);
  if (parts === null) {
    const message = `${NAME}: url must be a URL such as postgres://user:password@host:5432/database; encode "/", "?", "#" and "@" of a password`;
    throw new ConfigError(message, { backend: NAME });
  }
  const [, hosts = '', database = ''] = parts;
  const named = (hosts === '' ? 'localhost' : hosts).split(',');
  const addresses = named.map((host) => (/:\d+$/.test(host) ? host : `${host}:${PORT}`));
  return withDatabase(addresses.join(','), database);
}

function withDatabase(address: string, database: string): string {
  return database === '' ? address : `${address}/${database}`;
}
