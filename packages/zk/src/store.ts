import type { Host, Runtime } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import type { Layout } from './keys.ts';
import type { Acl } from './port.ts';

/** The parts of one opened backend share this. */
export interface Store {
  readonly host: Host;
  readonly layout: Layout;
  /** The ACL of all nodes; undefined: every client may do anything. */
  readonly acl: readonly Acl[] | undefined;
  /** Paces all contenders of the backend. */
  readonly pacer: CrowdPacer;
  /** Warns of names in the container of `key` that are not contenders. */
  warnForeignNodes(key: string, names: readonly string[]): void;
}

/** Steps between two pauses; so many take a few ms. */
const STEPS = 250;

/** Lets other work of the process run between the steps of very many contenders, as when one listing serves them all. */
export class CrowdPacer {
  readonly #runtime: Runtime;
  readonly #waiting: (() => void)[] = [];
  #stepsLeft = STEPS;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Resolves when the next contender may continue; undefined: at once. */
  step(): Promise<void> | undefined {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) this.#yieldToOthers();
    return new Promise((resume) => void this.#waiting.push(resume));
  }

  /** The timer keeps the process alive: a caller may have nothing else that does, and the process would end during its work. */
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

/** Keys for which foreign nodes are reported. With more of them, single warnings are of no use. */
const WARNINGS_MAX = 1_000;

/** Warns once for each key whose container has foreign nodes. These are neither counted nor touched. */
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
