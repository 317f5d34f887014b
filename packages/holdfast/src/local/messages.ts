/** How a worker opens the locks of one column. */
export interface Opening {
  /** A URL, or the path of a configuration file. */
  readonly source: string;
  /** Put over what stands there, for example a namespace of our own. */
  readonly override: Readonly<Record<string, string | number>>;
}

/** The work of one process in one trial: `waiters` clients, each going `rounds` times through read, think, write. */
export interface Work {
  readonly key: string;
  readonly waiters: number;
  readonly rounds: number;
  readonly thinkMs: number;
  /** The first client says `inside` in its first section, and stays there until told to proceed. */
  readonly lingers: boolean;
}

/** What a worker is asked to do; `column` names locks that were opened before. */
export type Task =
  /** `opening` is null where there is no lock. */
  | { readonly kind: 'open'; readonly column: string; readonly opening: Opening | null }
  | { readonly kind: 'work'; readonly column: string; readonly work: Work }
  | {
      readonly kind: 'uncontended';
      readonly column: string;
      readonly key: string;
      readonly rounds: number;
    }
  | {
      readonly kind: 'contended';
      readonly column: string;
      readonly key: string;
      readonly waiters: number;
      readonly spanMs: number;
    };

export type ToWorker =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  /** Leave the section of this key. */
  | { readonly kind: 'proceed'; readonly key: string };

export type FromWorker =
  /** `figures`: of `uncontended` how long each acquisition took, in ms; of `contended` how many there were; else none. */
  | { readonly kind: 'done'; readonly id: number; readonly figures: readonly number[] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'inside'; readonly key: string };
