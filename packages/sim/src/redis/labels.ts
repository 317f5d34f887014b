import { digestOf } from '@holdfast/redis/links';
import type { CallOptions, Script } from '@holdfast/redis/port';

/** What commands are called in rules, anchors and traces: a script by its name, an undo `undo`, any other by its command. */
export class Labels {
  readonly #names = new Map<string, string>();
  readonly #undos = new WeakSet<readonly string[]>();

  learn(script: Script): void {
    const digest = digestOf(script);
    if (this.#names.has(digest)) return;
    this.#names.set(digest, script.name);
    this.#names.set(script.source, script.name);
  }

  /** An undo often is a script that is also called as such; what it is for tells them apart. */
  expect({ undo }: CallOptions): void {
    if (undo !== undefined) this.#undos.add(undo.args);
  }

  of(args: readonly string[]): string {
    const [command = '', script = ''] = args;
    if (this.#undos.has(args)) return 'undo';
    if (command === 'EVALSHA' || command === 'EVAL') return this.#names.get(script) ?? command;
    return command.toUpperCase();
  }
}
