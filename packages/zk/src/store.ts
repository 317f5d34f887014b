import type { Host, Runtime } from '@holdfast/core';
import { NAME } from './identity.ts';
import type { Layout } from './keys.ts';
import type { Acl } from './port.ts';

/** What the parts of one opened backend share. */
export interface Store {
  readonly host: Host;
  readonly layout: Layout;
  /** Of all nodes that are made; undefined: anybody may do anything. */
  readonly acl: readonly Acl[] | undefined;
  /** Of all contenders. */
  readonly pacer: CrowdPacer;
  /** Called with the names in the container of `key` that are no contenders. */
  warnForeignNodes(key: string, names: readonly string[]): void;
}

/** Those of a crowd take a few ms. */
const STEPS = 250;

/** Breaks what very many do at once, as when one listing answers them all, so that whatever else the process has to do comes in between. */
export class CrowdPacer {
  readonly #runtime: Runtime;
  readonly #waiting: (() => void)[] = [];
  #stepsLeft = STEPS;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Resolves when the next one may go on; undefined: at once. */
  step(): Promise<void> | undefined {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) this.#yieldToOthers();
    return new Promise((resume) => void this.#waiting.push(resume));
  }

  /** Its timer keeps the process alive: a caller may have nothing else that does, and would end in the middle of its work. */
  #yieldToOthers(): void {
    const resumeNext = (): void => {
      const next = this.#waiting.splice(0, STEPS);
      this.#stepsLeft = STEPS - next.length;
      if (this.#waiting.length > 0) this.#yieldToOthers();
      for (const resume of next) resume();
    };
    this.#runtime.timer(0, resumeNext, { awaited: true });
  }
}

/** More keys than this with somebody else's nodes in them are not a mishap that anybody needs to be told of one by one. */
const WARNINGS_MAX = 1_000;

/** Tells of each key once that somebody else's nodes stand in its container; they are neither counted nor touched. */
export function foreignNodeWarner(host: Host): (key: string, names: readonly string[]) => void {
  const warned = new Set<string>();
  return (key, names) => {
    if (names.length === 0 || warned.has(key) || warned.size === WARNINGS_MAX) return;
    warned.add(key);
    const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    const message = `${NAME}: the container of key ${JSON.stringify(key)} contains nodes that are not contenders; they are left alone: ${shown.join(', ')}${more}`;
    host.emit({ type: 'warning', backend: NAME, code: 'foreign-node', message, key });
  };
}
