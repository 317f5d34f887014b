import { AcknowledgedCall } from './acknowledged-call.ts';
import { CommandConnection } from './command-connection.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import type { NodeOptions } from './node.ts';
import type { Caller, CommandArgs } from './pending-command.ts';
import type { CallOptions } from './port.ts';

/** A `WAIT` of 0 ms has no limit, and blocks its connection. */
const WAIT_MS_MIN = 1;

/**
 * Calls that count only once replicas have their writes. `WAIT` covers what was written before it on its own connection
 * only, and holds up all that follows there, so these calls have a connection to themselves.
 *
 * One `WAIT` serves many: the calls that come while one is pending leave together after it, with one `WAIT` behind
 * them in the same packet. While the replicas are behind, nothing more is written, and no call that could have
 * succeeded is delayed, since replicas acknowledge writes in their order.
 */
export class AcknowledgedCalls {
  readonly #options: NodeOptions;
  readonly #connection: CommandConnection;
  readonly #deadlines: DeadlineQueue<AcknowledgedCall>;
  #queue: AcknowledgedCall[] = [];
  /** True from the moment at which a batch is decided until its `WAIT` has ended. */
  #isBusy = false;
  #isClosed = false;

  constructor(options: NodeOptions) {
    const { runtime, dialer, connectMs, silenceMs, unfit } = options;
    this.#options = options;
    this.#deadlines = new DeadlineQueue(runtime, (call) => call.expire());
    this.#connection = new CommandConnection({
      runtime,
      dialer: {
        address: dialer.address,
        dial: (_, events) => dialer.dial('acknowledged', events),
        onNotification: (run) => dialer.onNotification?.(run),
      },
      connectMs,
      silenceMs,
      silent: () => undefined,
      unfit,
    });
  }

  /** As `CommandConnection.call`; `options.acknowledged` must be given. */
  call(args: CommandArgs, options: CallOptions, caller: Caller): void {
    const { runtime, dialer } = this.#options;
    const { address } = dialer;
    const onSettled = (): void => this.#deadlines.prune();
    const call = new AcknowledgedCall(args, { ...options, address }, caller, onSettled);
    if (this.#isClosed) return call.failUnsent('the node was closed');
    this.#queue.push(call);
    this.#deadlines.add(call, runtime.now().monotonicMs);
    this.#next();
  }

  /** Refuses calls that have not left, and lets the others finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#queue.splice(0)) call.failUnsent('the node was closed');
    await this.#connection.close();
    this.#deadlines.close();
  }

  /** Sends at the end of the present burst, so that calls of one tick share a `WAIT`. */
  #next(): void {
    if (this.#isBusy || this.#queue.length === 0) return;
    this.#isBusy = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    const batch = this.#queue.filter((call) => !call.isSettled);
    this.#queue = [];
    if (batch.length === 0) return this.#ended();
    // In one burst: if the connection is lost between the two, the `WAIT` must not go out on the next one, where it
    // would be satisfied at once.
    for (const call of batch) call.send(this.#connection);
    this.#wait(batch);
  }

  #wait(batch: readonly AcknowledgedCall[]): void {
    const { runtime, silenceMs } = this.#options;
    const nowMs = runtime.now().monotonicMs;
    const replicas = largest(batch, (call) => call.replicas);
    const byMs = largest(batch, (call) => call.deadlineMs);
    // Shorter than the silence for which the connection would be dropped.
    const waitMs = Math.max(WAIT_MS_MIN, Math.floor(Math.min(byMs - nowMs, silenceMs / 2)));
    // The next batch must not queue behind this one at the server: either the reply comes, or silence ends the link. And
    // a connection that comes up sends in the order of deadlines: the `WAIT` must not overtake its writes.
    const endMs = Math.max(
      nowMs + waitMs + 3 * silenceMs,
      largest(batch, (call) => call.callEndMs),
    );
    const end = (acknowledgedBy: number | undefined, cause?: unknown): void => {
      for (const call of batch) call.waited(acknowledgedBy, cause);
      this.#ended();
    };
    this.#connection.call(
      ['WAIT', `${replicas}`, `${waitMs}`],
      { deadlineMs: endMs },
      {
        resolve: (reply) => end(typeof reply === 'number' ? reply : undefined),
        reject: (error) => end(undefined, error),
      },
    );
  }

  #ended(): void {
    this.#isBusy = false;
    this.#next();
  }
}

/** Not by `Math.max`, which cannot take the arguments of a very large batch. */
function largest(
  batch: readonly AcknowledgedCall[],
  of: (call: AcknowledgedCall) => number,
): number {
  return batch.reduce((max, call) => Math.max(max, of(call)), 0);
}
