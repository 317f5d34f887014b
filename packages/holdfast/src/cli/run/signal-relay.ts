/** Signals that end a command that does not handle them. */
const ENDING = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
/** Signals that mean what the command makes of them. */
const OTHER = ['SIGUSR1', 'SIGUSR2'] as const;

/** Receives the signals of this process: they abort the wait for the lock, and are passed to the command once it runs. */
export class SignalRelay {
  readonly #controller = new AbortController();
  readonly #listeners: (readonly [NodeJS.Signals, () => void])[];
  #received: NodeJS.Signals | undefined;
  #pass: ((name: NodeJS.Signals) => void) | undefined;

  /** @param onStop called for Ctrl-Z: a process that is stopped renews no lease */
  constructor(onStop: () => void) {
    this.#listeners = [
      ...ENDING.map((name) => [name, () => this.#end(name)] as const),
      ...OTHER.map((name) => [name, () => this.#pass?.(name)] as const),
      ['SIGTSTP', onStop],
    ];
    for (const [name, listener] of this.#listeners) process.on(name, listener);
  }

  /** The first signal that ends a command. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /** Aborts with that signal, unless a command runs then. */
  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  /** Passes signals on from now on; returns the end of that. */
  passTo(pass: (name: NodeJS.Signals) => void): () => void {
    this.#pass = pass;
    return () => (this.#pass = undefined);
  }

  close(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener);
  }

  #end(name: NodeJS.Signals): void {
    this.#received ??= name;
    if (this.#pass === undefined) this.#controller.abort();
    else this.#pass(name);
  }
}
