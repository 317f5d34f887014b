import type { HostPort } from '../adapters/clients.ts';
import { addressOf } from '../endpoint.ts';
import type { NatMap } from '../sentinel/sentinel-options.ts';

/** Where a node listens. */
export type Place = HostPort;

const PLACE = /^(.*):(\d{1,5})$/;

/** Reads `host:port`; undefined if it is none. The host may be an IPv6 address, with or without brackets, or empty. */
export function placeOf(text: string): Place | undefined {
  const [, host, port] = PLACE.exec(text) ?? [];
  if (host === undefined) return undefined;
  return { host: host.replaceAll(/^\[|\]$/g, ''), port: Number(port) };
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function addressAt({ host, port }: Place): string {
  return addressOf({ host, port, db: 0 });
}

/** Applies a `natMap`; a place that it does not name stays. Its keys are written as the cluster writes them. */
export function translated(place: Place, natMap: NatMap | undefined): Place {
  const plain = `${place.host}:${place.port}`;
  if (typeof natMap === 'function') return natMap(plain) ?? place;
  return natMap?.[plain] ?? natMap?.[addressAt(place)] ?? place;
}
