import { type Scene, trackOf } from '@holdfast/harness/draw';
import { Controls } from './controls.ts';
import { h } from './dom.ts';
import { Playback } from './playback.ts';
import { StageView } from './stage-view.ts';

/** A stage of its own width needs no scaling. */
const WIDTH_MIN = 240;

/**
 * While it plays, texts and the slider change in so few frames: more could not be read, and each change lays them out anew.
 * Counted in frames, so that a slow machine does less; never both in one frame, so that none takes long.
 */
const TEXTS_FRAMES = 30;
const SLIDER_FRAMES = 12;
const SLIDER_FRAME = 3;

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
    const { frame, atMs, isGliding } = playback;
    for (const [i, view] of this.#views.entries()) {
      view.show(atMs);
      if (!isGliding || frame % TEXTS_FRAMES === 2 * i) view.showTexts(atMs);
    }
    this.controls.update({ withSlider: !isGliding || frame % SLIDER_FRAMES === SLIDER_FRAME });
  }
}
