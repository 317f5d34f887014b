import { type ChildProcess, fork } from 'node:child_process';
import type { Case } from './judge-process.ts';

/** Of cases in one process: modules that were loaded once stay in memory. */
const CASES_MAX = 120;
/** A process that starts and dies so often without a case in hand is not going to work. */
const STARTS_MAX = 3;

export interface CaseVerdict {
  readonly digest: string;
  /** By what it was found out; null when it survived. */
  readonly finding: string | null;
}

/** A process of its own that judges one case after the other, and another one when it dies of a case. */
export class JudgeWorker {
  readonly #script: string;
  readonly #args: readonly string[];
  readonly #next: () => Case | undefined;
  readonly #onVerdict: (verdict: CaseVerdict) => void;
  #current: Case | undefined;
  #assigned = 0;

  constructor(at: {
    readonly script: string;
    readonly args: readonly string[];
    readonly next: () => Case | undefined;
    readonly onVerdict: (verdict: CaseVerdict) => void;
  }) {
    this.#script = at.script;
    this.#args = at.args;
    this.#next = at.next;
    this.#onVerdict = at.onVerdict;
  }

  /** Resolves when there are no more cases. */
  async run(): Promise<void> {
    let idle = 0;
    for (;;) {
      const before = this.#assigned;
      const { isOver, signal, errors } = await this.#runProcess();
      if (isOver) return;
      // Somebody has ended the campaign, which says nothing about the mutant.
      if (signal === 'SIGTERM' || signal === 'SIGINT') throw new Error(`ended by ${signal}`);
      if (this.#current !== undefined) this.#ended(signal === 'SIGKILL' ? 'time' : 'crash');
      idle = this.#assigned === before ? idle + 1 : 0;
      if (idle >= STARTS_MAX)
        throw new Error(`the judge of ${this.#args.join(' ')} does not start: ${errors}`);
    }
  }

  /** One process, to its end. */
  #runProcess(): Promise<{ isOver: boolean; signal: string | null; errors: string }> {
    const child = fork(this.#script, [...this.#args], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--max-old-space-size=2000'],
    });
    const dieWithUs = (): void => void child.kill('SIGKILL');
    process.on('exit', dieWithUs);
    let isOver = false;
    let errors = '';
    let cases = 0;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('message', (message) => {
      if (isVerdict(message)) return this.#ended(message.finding, message.digest);
      this.#current = cases++ < CASES_MAX ? this.#next() : undefined;
      isOver = this.#current === undefined && cases <= CASES_MAX;
      if (this.#current !== undefined) this.#assigned += 1;
      reply(child, message, this.#current);
    });
    return new Promise((done) => {
      child.once('close', (_, signal) => {
        process.off('exit', dieWithUs);
        done({ isOver, signal, errors });
      });
    });
  }

  #ended(finding: string | null, digest: string = this.#current?.digest ?? ''): void {
    this.#current = undefined;
    this.#onVerdict({ digest, finding });
  }
}

function isVerdict(message: unknown): message is CaseVerdict {
  return typeof message === 'object' && message !== null && 'finding' in message;
}

function reply(child: ChildProcess, message: unknown, next: Case | undefined): void {
  if (typeof message !== 'object' || message === null || !('id' in message)) return;
  if (child.connected) child.send({ id: message.id, answer: next ?? null });
}
