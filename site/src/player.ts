import { type Scene, trackOf } from '@holdfast/harness/draw';
import { Controls } from './controls.ts';
import { h } from './dom.ts';
import { Playback } from './playback.ts';
import { StageView } from './stage-view.ts';

const WIDTH_MIN = 320;

/** Scenes laid out one below the other, and played together. */
export class Player {
  readonly stages = h('div', { class: 'stages' });
  readonly controls = new Controls(() => this.#playback);
  /** Shown from the next `layOut` on. */
  scenes: readonly Scene[] = [];
  #views: readonly StageView[] = [];
  #playback: Playback | undefined;
  #width = 0;

  get playback(): Playback | undefined {
    return this.#playback;
  }

  /** One for each scene. */
  get views(): readonly StageView[] {
    return this.#views;
  }

  /** True if the scenes were laid out for another width. */
  get isResized(): boolean {
    return this.#views.length > 0 && this.#widthNow !== this.#width;
  }

  get #widthNow(): number {
    return Math.max(WIDTH_MIN, Math.round(this.stages.clientWidth));
  }

  /** Lays the scenes out anew at a moment, by default the first step. What is playing plays on. */
  layOut(atMs: number | undefined, onLaidOut: () => void): void {
    const wasPlaying = this.#playback?.isPlaying === true;
    const speed = this.#playback?.speed ?? 1;
    this.#playback?.pause();
    this.#width = this.#widthNow;
    this.#views = this.scenes.map((scene, i) => new StageView(scene, `stage-${i}`, this.#width));
    this.stages.replaceChildren(...this.#views.map(({ element }) => element));
    const steps = this.#views[0]?.stage.steps ?? [];
    const track = trackOf(this.#views.flatMap(({ stage }) => stage.steps));
    const playback = new Playback(track, steps, () => this.#moved());
    playback.speed = speed;
    playback.isStepwise = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#playback = playback;
    this.controls.fill(steps, track.length);
    onLaidOut();
    if (atMs === undefined || atMs <= 0) playback.toStep(0);
    else playback.toTime(atMs);
    if (wasPlaying) playback.play();
  }

  #moved(): void {
    const { playback } = this;
    if (playback === undefined) return;
    for (const view of this.#views) view.show(playback.atMs, playback.isPlaying);
    this.controls.update();
  }
}
