import type { Runtime } from '@holdfast/core';
import type { Link, OutgoingCommand } from './link.ts';
import { patientTimer, REPLY_TURNS } from './patient-timer.ts';
import type { Reply } from './port.ts';

type Instant = ReturnType<Runtime['now']>;

/**
 * A NAT or a balancer forgets an idle connection without telling its ends: what is then sent on it is lost. After this time
 * without a sign of life a link must prove that it still leads somewhere.
 */
const SILENT_MS = 10_000;
/** The time for the proof, unless the call that needs it has less. */
export const PROOF_MS = 200;

/** The idle time after which the system probes a connection, so that most are not forgotten: that takes minutes. */
export const KEEP_ALIVE_MS = 30_000;

export interface LivenessOptions {
  readonly runtime: Runtime;
  readonly link: Link;
  /** Called if a proof fails; `isProving` is still true. */
  readonly failed: (cause: Error) => void;
}

/** Knows when a link last gave a sign of life, and makes it give one. Costs nothing until it is asked. */
export class Liveness {
  readonly #options: LivenessOptions;
  #heardAt: Instant;
  #proven: (() => void) | undefined;
  #cancelProof: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #isWatched = false;
  #isEnded = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#heardAt = options.runtime.now();
  }

  get isProving(): boolean {
    return this.#proven !== undefined;
  }

  heard(now: Instant = this.#options.runtime.now()): void {
    this.#heardAt = now;
  }

  /** By the clock that says more: the monotonic one stops while the machine sleeps. */
  isSilent(now: Instant): boolean {
    return this.#silentMs(now) > SILENT_MS;
  }

  /** Requests one reply within `ms`; calls `proven` when it comes, and `failed` if it does not. One proof at a time. */
  prove(ms: number, proven: () => void): void {
    if (this.isProving) return;
    this.#proven = proven;
    const heard = (): void => this.#answered();
    // In lower case: ioredis 5 and iovalkey permit it to a subscriber only so.
    this.#options.link.send(new Probe('ping', heard, heard));
    this.#cancelProof = patientTimer(this.#options.runtime, ms, REPLY_TURNS, () => this.#fail(ms));
  }

  /** Proves the link if it has been silent, and from now on whenever it has, until `rest`. */
  watch(): void {
    if (this.#isEnded) return;
    this.#isWatched = true;
    const { runtime } = this.#options;
    const silentMs = this.#silentMs(runtime.now());
    // Whoever listens may have left when the proof comes.
    if (silentMs > SILENT_MS)
      return this.prove(PROOF_MS, () => (this.#isWatched ? this.watch() : undefined));
    this.#cancelWatch ??= runtime.timer(SILENT_MS - silentMs + 1, () => {
      this.#cancelWatch = undefined;
      this.watch();
    });
  }

  rest(): void {
    this.#isWatched = false;
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
  }

  end(): void {
    this.#isEnded = true;
    this.rest();
    this.#cancelProof?.();
    this.#proven = undefined;
  }

  #silentMs({ monotonicMs, wallMs }: Instant): number {
    return Math.max(monotonicMs - this.#heardAt.monotonicMs, wallMs - this.#heardAt.wallMs);
  }

  #answered(): void {
    const proven = this.#proven;
    if (proven === undefined) return;
    this.#cancelProof?.();
    this.#proven = undefined;
    this.heard();
    proven();
  }

  #fail(ms: number): void {
    this.#options.failed(
      new Error(`silent for more than ${SILENT_MS} ms, and no reply to PING within ${ms} ms`),
    );
  }
}

/** A command whose reply, whatever it is, proves that the server is alive. It changes nothing. */
export class Probe implements OutgoingCommand {
  readonly args: readonly string[];
  readonly isUndo = false;
  readonly isSent = true;
  readonly #onReply: (reply: Reply) => void;
  readonly #onError: (line: string) => void;

  constructor(
    command: 'HELLO' | 'ping',
    onReply: (reply: Reply) => void,
    onError: (line: string) => void,
  ) {
    this.args = [command];
    this.#onReply = onReply;
    this.#onError = onError;
  }

  markSent(): boolean {
    return true;
  }

  answered(reply: Reply): void {
    this.#onReply(reply);
  }

  refused(text: string): void {
    this.#onError(text);
  }

  /** The link then ends, and reports that itself. */
  notSent(): void {}
}
