import { NodeReplyError } from '../port.ts';
import { type HostPort, parseHostPort } from './host-port.ts';

/** The server's reply that another node is to be asked: the command was certainly not applied. */
export interface Redirect {
  /** `moved`: the other node owns the slot. `ask`: the slot is on its way there, and this one key is asked for there. */
  readonly kind: 'moved' | 'ask';
  readonly slot: number;
  /** An empty host is that of the node that replied. */
  readonly to: HostPort;
}

const REDIRECT = /^-?(MOVED|ASK) (\d+) (\S*:\d+)/;

/** Returns the redirect that an error is; undefined for every other error. */
export function redirectIn(error: unknown): Redirect | undefined {
  if (!(error instanceof NodeReplyError)) return undefined;
  const [, word, slot, target = ''] = REDIRECT.exec(error.message) ?? [];
  const to = parseHostPort(target);
  if (to === undefined) return undefined;
  return { kind: word === 'ASK' ? 'ask' : 'moved', slot: Number(slot), to };
}
