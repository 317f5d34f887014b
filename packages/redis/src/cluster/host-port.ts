import type { HostPort } from '../adapters/clients.ts';
import { addressOf } from '../endpoint.ts';
import type { NatMap } from '../sentinel/sentinel-options.ts';

export type { HostPort };

const HOST_PORT = /^(.*):(\d{1,5})$/;

/** Reads `host:port`; undefined if it is none. The host may be an IPv6 address, with or without brackets, or empty. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, host, port] = HOST_PORT.exec(text) ?? [];
  if (host === undefined) return undefined;
  return { host: host.replaceAll(/^\[|\]$/g, ''), port: Number(port) };
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function addressAt({ host, port }: HostPort): string {
  return addressOf({ host, port, db: 0 });
}

/** Applies a `natMap`; an address that it does not name stays. Its keys are written as the cluster writes them. */
export function translated(at: HostPort, natMap: NatMap | undefined): HostPort {
  const plain = `${at.host}:${at.port}`;
  if (typeof natMap === 'function') return natMap(plain) ?? at;
  return natMap?.[plain] ?? natMap?.[addressAt(at)] ?? at;
}
