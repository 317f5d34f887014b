import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LockEventOf, LockEventType } from '@holdfast/core';
import type { LockCall } from '@holdfast/core/backend';

/** A write that a guard has refused. */
export interface RefusedWrite {
  readonly key: string;
  readonly token: bigint;
  readonly largest: bigint | undefined;
}

/** What `holdfast` and `@holdfast/guard` publish, by the name of the channel without its prefix. */
type Messages = { readonly [T in LockEventType]: LockEventOf<T> } & {
  readonly call: LockCall;
  readonly refused: RefusedWrite;
};

/** Listens to channels, until all are closed. */
export class Channels {
  readonly #closing: (() => void)[] = [];

  on<Name extends keyof Messages>(name: Name, listener: (message: Messages[Name]) => void): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each channel has one publisher, and one type
    const receive = (message: unknown): void => listener(message as Messages[Name]);
    subscribe(`holdfast:${name}`, receive);
    this.#closing.push(() => void unsubscribe(`holdfast:${name}`, receive));
  }

  close(): void {
    for (const close of this.#closing.splice(0)) close();
  }
}
