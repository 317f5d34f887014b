import { ConfigError } from '@holdfast/core';
import { hasMethods } from './reply.ts';

/** A client that cannot be made safe. */
interface Refused {
  is(client: object): boolean;
  /** What it is, why it is refused, and what to use instead. */
  readonly message: string;
}

const REFUSED: readonly Refused[] = [
  {
    // Version 5 brought `destroy`.
    is: (client) =>
      'isReady' in client &&
      hasMethods(client, 'sendCommand', 'duplicate', 'connect', 'disconnect', 'unref') &&
      !hasMethods(client, 'destroy'),
    message:
      'node-redis 4 cannot be used: it holds a command in the socket until the next turn of the event loop, so that one could be sent after its deadline; upgrade redis to version 5 or 6, or use ioredis',
  },
  {
    is: (client) =>
      hasMethods(client, 'customCommand', 'invokeScript', 'updateConnectionPassword', 'close'),
    message:
      '@valkey/valkey-glide cannot be used: it reconnects on its own and does not tell, so that the undo of a command could take another connection than the command; use iovalkey, ioredis or redis',
  },
];

/** @throws ConfigError with the reason, for a client of a library that is known and cannot be made safe */
export function rejectRefused(client: object): void {
  const refused = REFUSED.find((each) => each.is(client));
  if (refused !== undefined) throw new ConfigError(refused.message);
}
