import type { Step, Track } from '@holdfast/harness/draw';

/** How fast the track passes at speed 1: three events in two seconds, one after the other. */
const PIXELS_PER_MS = 0.09;
/** A frame after a hidden tab is no leap. */
const FRAME_MS_MAX = 100;
/** The time of one event if motion is unwelcome: the picture then jumps from event to event. */
const STEP_MS = 1_200;

/** The position in a run: it plays, steps and scrubs. */
export class Playback {
  speed = 1;
  isStepwise = false;
  #frames = 0;
  #track: Track;
  #steps: readonly Step[];
  #step = 0;
  #atMs: number;
  #frame: number | undefined;
  #lastMs = 0;
  #restMs = 0;
  readonly #onChange: () => void;

  constructor(track: Track, steps: readonly Step[], onChange: () => void) {
    this.#track = track;
    this.#steps = steps;
    this.#atMs = steps[0]?.atMs ?? 0;
    this.#onChange = onChange;
  }

  get atMs(): number {
    return this.#atMs;
  }

  /** The number of the latest event, from 0. */
  get step(): number {
    return this.#step;
  }

  get position(): number {
    return this.#track.positionOf(this.#atMs);
  }

  get isPlaying(): boolean {
    return this.#frame !== undefined;
  }

  /** The number of frames that were played. */
  get frame(): number {
    return this.#frames;
  }

  /** True while every frame moves the picture a little. */
  get isGliding(): boolean {
    return this.isPlaying && !this.isStepwise;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#track.length - 0.5 && this.#step >= this.#steps.length - 1;
  }

  play(): void {
    if (this.isPlaying) return;
    if (this.isAtEnd) this.toStep(0);
    this.#lastMs = performance.now();
    this.#restMs = STEP_MS;
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
    this.#onChange();
  }

  pause(): void {
    if (this.#frame === undefined) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#onChange();
  }

  /** Goes to an event by its number; beyond the last, to the end. */
  toStep(step: number): void {
    this.#step = Math.max(0, Math.min(step, this.#steps.length - 1));
    this.#atMs = this.#steps[this.#step]?.atMs ?? 0;
    this.#onChange();
  }

  toPosition(position: number): void {
    this.toTime(this.#track.msAt(position));
  }

  toTime(atMs: number): void {
    this.#atMs = atMs;
    this.#step = Math.max(
      0,
      this.#steps.findLastIndex((step) => step.atMs <= atMs + 1e-6),
    );
    this.#onChange();
  }

  #tick(now: number): void {
    const passedMs = Math.min(FRAME_MS_MAX, now - this.#lastMs) * this.speed;
    this.#lastMs = now;
    this.#frames++;
    this.#frame = requestAnimationFrame((next) => this.#tick(next));
    if (this.isStepwise) this.#stepBy(passedMs);
    else this.toPosition(Math.min(this.#track.length, this.position + passedMs * PIXELS_PER_MS));
    if (this.isAtEnd) this.pause();
  }

  #stepBy(passedMs: number): void {
    this.#restMs -= passedMs;
    if (this.#restMs > 0) return;
    this.#restMs = STEP_MS;
    this.toStep(this.#step + 1);
  }
}
