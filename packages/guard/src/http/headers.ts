import { type Fence, type FencedLease, fenceOf } from '../fence.ts';

/** Name of the header with the key, percent-encoded. */
export const KEY_HEADER = 'holdfast-key';
/** Name of the header with the token, in decimal digits. */
export const TOKEN_HEADER = 'holdfast-token';
const DIGITS = /^(?:0|[1-9]\d{0,18})$/;

/** Headers as Node, Express and Fastify have them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The headers by which a request carries its fencing token.
 * @example
 * ```ts
 * await locks.use('orders/42', async (lease) => {
 *   await fetch('https://billing.example/charge', { method: 'POST', headers: fenceHeaders(lease) });
 * });
 * ```
 * @throws CapabilityError: the lease has no token
 */
export function fenceHeaders(lease: FencedLease): Record<string, string> {
  const { key, token } = fenceOf(lease.key, lease.fencingToken);
  return { [KEY_HEADER]: encodeURIComponent(key), [TOKEN_HEADER]: `${token}` };
}

/** Returns key and token; undefined if the request has neither, or `malformed`. */
export function fenceIn(headers: RequestHeaders): Fence | 'malformed' | undefined {
  const [key, token] = [headers[KEY_HEADER], headers[TOKEN_HEADER]];
  if (key === undefined && token === undefined) return undefined;
  if (typeof key !== 'string' || typeof token !== 'string' || !DIGITS.test(token))
    return 'malformed';
  try {
    return fenceOf(decodeURIComponent(key), BigInt(token));
  } catch {
    return 'malformed';
  }
}
