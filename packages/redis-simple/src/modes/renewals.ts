import { expectReply, isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import type { Reply } from '@holdfast/redis/port';
import { acknowledged } from '../acknowledged.ts';
import { Gathering } from '../gathering.ts';
import type { ModeKeys, Server } from '../store.ts';
import type { ModeHold } from './grant.ts';
import { RENEW_MODE } from './scripts.ts';

/** A renewal that waits for the call that makes it. */
interface Waiting {
  readonly stored: string;
  readonly deadlineMs: number;
  readonly resolve: (isHeld: boolean) => void;
  readonly reject: (cause: unknown) => void;
}

/** Renews readers and holders of permits: those of one key that are due at the same moment by one call. */
export class ModeRenewals {
  readonly #server: Server;
  readonly #gathering = new Gathering<Waiting>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** True: held for at least the ttl from now; false: this hold is gone. Rejects as the call does. */
  renew({ keys, stored }: ModeHold, ttlMs: number, deadlineMs: number): Promise<boolean> {
    return new Promise((resolve, reject) =>
      this.#gathering.add(
        `${ttlMs} ${keys.key}`,
        { stored, deadlineMs, resolve, reject },
        (all) => void this.#send(keys, all, ttlMs),
      ),
    );
  }

  async #send(keys: ModeKeys, all: readonly [Waiting, ...Waiting[]], ttlMs: number): Promise<void> {
    const args = [`${ttlMs}`, ...all.map(({ stored }) => stored)];
    const options = acknowledged(this.#server, { deadlineMs: all[0].deadlineMs }, isAnyHeld);
    try {
      const reply = await this.#server.node.script(RENEW_MODE, keys.names, args, options);
      if (!Array.isArray(reply) || reply.length !== all.length)
        throw new UnexpectedReply(RENEW_MODE.name, reply);
      for (const [at, { resolve }] of all.entries())
        resolve(expectReply(RENEW_MODE.name, reply[at], isZeroOrOne) === 1);
    } catch (cause) {
      for (const { reject } of all) reject(cause);
    }
  }
}

function isAnyHeld(reply: Reply): boolean {
  return Array.isArray(reply) && reply.includes(1);
}
