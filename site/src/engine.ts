import type { RequestName, Requests, SeekProgress } from '@holdfast/harness/playground';

/** A message to the worker. */
export interface Asked {
  readonly id: number;
  readonly name: RequestName;
  readonly request: Requests[RequestName]['request'];
}

/** A message of the worker: progress, or the end. */
export interface Told {
  readonly id: number;
  readonly progress?: SeekProgress;
  readonly result?: Requests[RequestName]['result'];
  readonly error?: string;
}

/** A run takes milliseconds; one that is silent for so long is stopped. */
const SILENCE_MS = 10_000;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (progress: SeekProgress) => void;
  timer: number;
}

/** The simulator in a worker, which is started anew after it was stopped. */
export class Engine {
  readonly #url: string | URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #ids = 0;
  /** Called after the worker was stopped: what was connected to it is no more. */
  onStopped: () => void = () => {};

  constructor(url: string | URL) {
    this.#url = url;
  }

  /** @throws Error saying why the request was refused, or that it was stopped */
  request<N extends RequestName>(
    name: N,
    request: Requests[N]['request'],
    onProgress: (progress: SeekProgress) => void = () => {},
    ports: MessagePort[] = [],
  ): Promise<Requests[N]['result']> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      // The reply to a request has the type of its name.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const settle = (result: unknown): void => resolve(result as never);
      this.#pending.set(id, { resolve: settle, reject, onProgress, timer: this.#watch() });
      const asked: Asked = { id, name, request };
      this.#running().postMessage(asked, ports);
    });
  }

  /** Ends whatever runs; every open request is refused. */
  stop(why = 'stopped'): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(why));
    }
    this.#pending.clear();
    this.onStopped();
  }

  #watch(): number {
    return window.setTimeout(
      () => this.stop(`stopped after ${SILENCE_MS / 1000} s without a reply`),
      SILENCE_MS,
    );
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#url, { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#told(data));
    worker.addEventListener('error', ({ message }) => this.stop(message || 'the worker failed'));
    this.#worker = worker;
    return worker;
  }

  #told({ id, progress, result, error }: Told): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    if (progress !== undefined) {
      pending.timer = this.#watch();
      pending.onProgress(progress);
      return;
    }
    this.#pending.delete(id);
    if (error === undefined) pending.resolve(result);
    else pending.reject(new Error(error));
  }
}
