import { type Clock, systemClock } from './clock.ts';
import type { Credential } from './credentials.ts';
import { OptionError } from './errors.ts';
import type { Network } from './network.ts';
import { Chroot, pathFault } from './paths.ts';
import { type Address, checkedServers, type Server } from './servers.ts';

/** Options of a session over any network. */
export interface NetworkSessionOptions {
  /** The network to the servers. */
  readonly network: Network;
  /**
   * `host:port`, `[IPv6]:port`, or objects, in any order: they are shuffled. The default port is 2181. A name may have
   * several addresses: it is resolved for every attempt to connect, and all addresses are tried in turn.
   */
  readonly servers: readonly (Address | string)[];
  /** All paths are below this node, which must exist. */
  readonly chroot?: string | undefined;
  /** The requested session timeout T; the servers have bounds, and the session's `timeoutMs` is the value that counts. Default 30 000. */
  readonly sessionTimeoutMs?: number | undefined;
  /** Identities that the session proves on every connection; default: none. */
  readonly auth?: readonly Credential[] | undefined;
  /** The largest request or reply, like the servers' `jute.maxbuffer`. Default 1 048 575. */
  readonly frameBytesMax?: number | undefined;
  /** The time that opening may take, in ms; or its end by the monotonic clock. Default: 10 s. */
  readonly openMs?: number | undefined;
  /** The end of the opening by the monotonic clock, instead of `openMs`. */
  readonly deadlineMs?: number | undefined;
  /** Aborts the opening; `close` ends the session itself. */
  readonly signal?: AbortSignal | undefined;
  /** True if the opening keeps the process alive. Default true. */
  readonly awaited?: boolean | undefined;
  /** Clocks and timers; default: those of the process. */
  readonly clock?: Clock | undefined;
}

export interface CheckedOptions {
  readonly servers: readonly Server[];
  readonly chroot: Chroot;
  readonly sessionTimeoutMs: number;
  readonly auth: readonly Credential[];
  readonly frameBytesMax: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly awaited: boolean;
  readonly clock: Clock;
  readonly network: Network;
}

const TIMEOUT_MS = 30_000;
const OPEN_MS = 10_000;
const FRAME_BYTES = 0xf_ff_ff;
const INT32_MAX = 2 ** 31 - 1;

/** Throws {@link OptionError}. */
export function checkedOptions(options: NetworkSessionOptions): CheckedOptions {
  const { network, chroot = '/', auth = [], clock = systemClock, openMs = OPEN_MS } = options;
  const fault = pathFault(chroot);
  if (fault !== undefined) throw new OptionError(`chroot ${JSON.stringify(chroot)} ${fault}`);
  for (const { scheme, auth: secret } of auth) {
    if (typeof scheme !== 'string' || scheme === '') throw new OptionError('auth needs a scheme');
    if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
      throw new OptionError(`auth of scheme ${scheme} is neither a string nor bytes`);
    }
  }
  network.check?.();
  const { sessionTimeoutMs = TIMEOUT_MS, frameBytesMax = FRAME_BYTES } = options;
  const deadlineMs = options.deadlineMs ?? clock.now().monotonicMs + positive('openMs', openMs);
  if (Number.isNaN(deadlineMs)) throw new OptionError('deadlineMs must be a number');
  return {
    auth,
    clock,
    deadlineMs,
    signal: options.signal,
    awaited: options.awaited ?? true,
    servers: checkedServers(options.servers),
    chroot: new Chroot(chroot),
    sessionTimeoutMs: positive('sessionTimeoutMs', sessionTimeoutMs),
    frameBytesMax: positive('frameBytesMax', frameBytesMax),
    network,
  };
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0 && value <= INT32_MAX) return value;
  throw new OptionError(
    `${name} must be a whole number within 1 and ${INT32_MAX}, not ${String(value)}`,
  );
}
