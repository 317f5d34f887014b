import { digestOf, type OutgoingCommand } from '@holdfast/redis/links';
import type { Script } from '@holdfast/redis/port';

/** What commands are called in rules, anchors and traces: a script by its name, an undo `undo`, any other by its command. */
export class Labels {
  readonly #names = new Map<string, string>();

  learn(script: Script): void {
    const digest = digestOf(script);
    if (this.#names.has(digest)) return;
    this.#names.set(digest, script.name);
    this.#names.set(script.source, script.name);
  }

  /** An undo often is a script that is also called as such; what it is for tells them apart. */
  of({ args, isUndo }: OutgoingCommand): string {
    if (isUndo) return 'undo';
    const [command = '', script = ''] = args;
    if (command === 'EVALSHA' || command === 'EVAL') return this.#names.get(script) ?? command;
    return command.toUpperCase();
  }
}
