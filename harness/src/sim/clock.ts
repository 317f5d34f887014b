/** The reading of an undisturbed wall clock at true time 0. Arbitrary, but fixed: 2025-01-01T00:00:00Z. */
export const EPOCH_MS: number = 1_735_689_600_000;
const EPOCH_US = EPOCH_MS * 1000;

export interface ClockOptions {
  /** The reading of the monotonic clock at true time 0. */
  readonly monotonicMs: number;
  /** Lead of the wall clock over true time. */
  readonly wallOffsetMs: number;
  readonly driftPpm: number;
}

/** Both clocks of a process, in microseconds. */
export interface ClockReading {
  readonly monotonicUs: number;
  readonly wallUs: number;
}

/** A stretch of true time in which both clocks run evenly. */
interface ClockSpan extends ClockReading {
  readonly fromUs: number;
  readonly ppm: number;
  /** True while the machine sleeps: its monotonic clock does not run. */
  readonly stopped: boolean;
}

interface ClockChange {
  /** Step of the wall clock. */
  readonly byUs?: number;
  readonly ppm?: number;
  readonly stopped?: boolean;
}

/**
 * Both clocks of one machine, as functions of true time. Past readings are kept, so that a caller can find out later
 * when a clock first showed a value. Both clocks drift alike, since they share an oscillator.
 */
export class Clock {
  #spans: ClockSpan[];
  #stoppedUntilUs = 0;

  constructor(options: ClockOptions) {
    this.#spans = [
      {
        fromUs: 0,
        monotonicUs: Math.round(options.monotonicMs * 1000),
        wallUs: EPOCH_US + Math.round(options.wallOffsetMs * 1000),
        ppm: options.driftPpm,
        stopped: false,
      },
    ];
  }

  read(atUs: number): ClockReading {
    const span = this.#spanAt(atUs);
    return { monotonicUs: monotonicUs(span, atUs), wallUs: wallUs(span, atUs) };
  }

  monotonicUs(atUs: number): number {
    return monotonicUs(this.#spanAt(atUs), atUs);
  }

  wallUs(atUs: number): number {
    return wallUs(this.#spanAt(atUs), atUs);
  }

  /** First true time, not before `sinceUs`, at which the monotonic clock shows `targetUs` or more. */
  whenMonotonic(targetUs: number, sinceUs: number): number {
    return this.#first(monotonicUs, targetUs, sinceUs);
  }

  /** First true time, not before `sinceUs`, at which the wall clock shows `targetUs` or more. */
  whenWall(targetUs: number, sinceUs: number): number {
    return this.#first(wallUs, targetUs, sinceUs);
  }

  jumpWall(atUs: number, byUs: number): void {
    this.#change(atUs, { byUs });
  }

  setDrift(atUs: number, ppm: number): void {
    this.#change(atUs, { ppm });
  }

  stopMonotonic(atUs: number, untilUs: number): void {
    if (untilUs <= atUs) return;
    this.#stoppedUntilUs = Math.max(this.#stoppedUntilUs, untilUs);
    this.#change(atUs, { stopped: true });
  }

  #change(atUs: number, change: ClockChange): void {
    const now = this.#changed(atUs, change);
    // At most one span lies ahead: the end of a sleep. This change alters its readings.
    this.#spans = this.#spans.filter((span) => span.fromUs < atUs || span.fromUs === 0);
    this.#spans.push(now);
    if (this.#stoppedUntilUs <= atUs) return;
    this.#spans.push(this.#changed(this.#stoppedUntilUs, { stopped: false }));
  }

  /** The span that begins with a change. Spelt out, because V8 gives objects that are spread another shape. */
  #changed(atUs: number, { byUs = 0, ppm, stopped }: ClockChange): ClockSpan {
    const span = this.#spanAt(atUs);
    return {
      fromUs: atUs,
      monotonicUs: monotonicUs(span, atUs),
      wallUs: wallUs(span, atUs) + byUs,
      ppm: ppm ?? span.ppm,
      stopped: stopped ?? span.stopped,
    };
  }

  #spanAt(atUs: number): ClockSpan {
    let index = this.#spans.length - 1;
    while (index > 0 && this.#spans[index]!.fromUs > atUs) index--;
    return this.#spans[index]!;
  }

  #first(
    read: (span: ClockSpan, atUs: number) => number,
    targetUs: number,
    sinceUs: number,
  ): number {
    const spans = this.#spans;
    for (let index = 0; index < spans.length; index++) {
      const span = spans[index]!;
      const endUs = spans[index + 1]?.fromUs ?? Number.POSITIVE_INFINITY;
      if (endUs <= sinceUs) continue;
      const atUs = firstWithin(read, span, targetUs, Math.max(span.fromUs, sinceUs));
      if (atUs < endUs) return atUs;
    }
    return Number.POSITIVE_INFINITY;
  }
}

function rate(span: ClockSpan): number {
  return 1 + span.ppm / 1e6;
}

function monotonicUs(span: ClockSpan, atUs: number): number {
  if (span.stopped) return span.monotonicUs;
  return span.monotonicUs + Math.floor((atUs - span.fromUs) * rate(span));
}

function wallUs(span: ClockSpan, atUs: number): number {
  return span.wallUs + Math.floor((atUs - span.fromUs) * rate(span));
}

function firstWithin(
  read: (span: ClockSpan, atUs: number) => number,
  span: ClockSpan,
  targetUs: number,
  startUs: number,
): number {
  const missingUs = targetUs - read(span, startUs);
  if (missingUs <= 0) return startUs;
  if (span.stopped && read === monotonicUs) return Number.POSITIVE_INFINITY;
  let atUs = startUs + Math.max(0, Math.floor(missingUs / rate(span)) - 1);
  while (read(span, atUs) < targetUs) atUs++;
  return atUs;
}
