import type { Step } from '@holdfast/harness/draw';
import { button, h } from './dom.ts';
import type { Playback } from './playback.ts';

const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Play and pause, steps, a slider, the sentence of the moment, and the list of all steps. */
export class Controls {
  readonly element: HTMLElement;
  readonly steps: HTMLElement;
  readonly #playback: () => Playback | undefined;
  readonly #play: HTMLButtonElement;
  readonly #slider: HTMLInputElement;
  readonly #now: HTMLElement;
  readonly #when = h('b', {}, '');
  readonly #what = new Text();
  readonly #list: HTMLOListElement;
  #all: readonly Step[] = [];
  #shown = -1;

  constructor(playback: () => Playback | undefined) {
    this.#playback = playback;
    this.#play = button('▶', 'Play', () => this.#toggle());
    this.#play.classList.add('main');
    this.#slider = h('input', {
      type: 'range',
      min: 0,
      max: 1,
      step: 'any',
      'aria-label': 'Time',
      oninput: () => {
        this.#playback()?.pause();
        this.#playback()?.toPosition(Number(this.#slider.value));
      },
    });
    this.#now = h(
      'p',
      { class: 'now', 'aria-live': 'polite', role: 'status' },
      this.#when,
      this.#what,
    );
    const speed = h(
      'select',
      {
        'aria-label': 'Speed',
        onchange: () => {
          const current = this.#playback();
          if (current !== undefined) current.speed = Number(speed.value);
        },
      },
      ...SPEEDS.map((each) => h('option', { value: each, selected: each === 1 }, `${each} ×`)),
    );
    this.element = h(
      'div',
      { class: 'bar' },
      this.#now,
      h(
        'div',
        { class: 'row' },
        button('|◀', 'To the beginning', () => this.#go((current) => current.toStep(0))),
        button('◀', 'Step back', () => this.#go((current) => current.toStep(current.step - 1))),
        this.#play,
        button('▶|', 'Step forward', () => this.#go((current) => current.toStep(current.step + 1))),
        h('div', { class: 'time' }, this.#slider),
        speed,
      ),
    );
    this.#list = h('ol', { class: 'steps', 'aria-label': 'All steps' });
    this.steps = h('details', {}, h('summary', {}, 'All steps'), this.#list);
  }

  fill(steps: readonly Step[], length: number): void {
    this.#all = steps;
    this.#shown = -1;
    this.#slider.max = `${length}`;
    this.#fitSentences(steps);
    this.#list.replaceChildren(
      ...steps.map((step, i) =>
        h(
          'li',
          {},
          h(
            'button',
            { type: 'button', onclick: () => this.#go((current) => current.toStep(i)) },
            h('span', {}, `${shown(step.atMs)} ms`),
            step.sentence,
          ),
        ),
      ),
    );
  }

  update({ withSlider }: { readonly withSlider: boolean }): void {
    const playback = this.#playback();
    if (playback === undefined) return;
    const { step, isPlaying, position, atMs } = playback;
    if (withSlider) this.#slider.value = `${position}`;
    const sign = isPlaying ? '❚❚' : '▶';
    if (this.#play.textContent !== sign) {
      this.#play.textContent = sign;
      const label = isPlaying ? 'Pause' : 'Play';
      this.#play.setAttribute('aria-label', label);
      this.#play.title = label;
    }
    // Whoever hears it needs it at rest, or at a step.
    if (!isPlaying || step !== this.#shown)
      this.#slider.setAttribute('aria-valuetext', `${shown(atMs)} ms`);
    if (step !== this.#shown) this.#tell(step);
  }

  /** Space plays, arrows step, Home and End go to the ends; keys of fields stay theirs. */
  onKey(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    if (!(target instanceof Element)) return;
    if (/^(INPUT|SELECT|TEXTAREA|SUMMARY|circle)$/.test(target.tagName)) return;
    if (event.key === ' ' && target.tagName === 'BUTTON') return;
    const act: Readonly<Record<string, () => void>> = {
      ' ': () => this.#toggle(),
      ArrowRight: () => this.#go((current) => current.toStep(current.step + 1)),
      ArrowLeft: () => this.#go((current) => current.toStep(current.step - 1)),
      Home: () => this.#go((current) => current.toStep(0)),
      End: () => this.#go((current) => current.toStep(this.#all.length - 1)),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || act[event.key] === undefined) return;
    event.preventDefault();
    act[event.key]?.();
  }

  /** Gives the sentence the room of the longest, so that the next one lays out nothing else. */
  #fitSentences(steps: readonly Step[]): void {
    const longest = steps.reduce(
      (most, { sentence }) => (sentence.length > most.length ? sentence : most),
      '',
    );
    this.#now.style.height = '';
    this.#now.classList.remove('fitted');
    this.#write(steps.length - 1, steps.at(-1)?.atMs ?? 0, longest);
    const height = this.#now.offsetHeight;
    // Without a height it is not on the screen yet.
    if (height === 0) return;
    this.#now.style.height = `${height}px`;
    this.#now.classList.add('fitted');
  }

  #tell(step: number): void {
    this.#list.children[this.#shown]?.firstElementChild?.removeAttribute('aria-current');
    this.#shown = step;
    this.#list.children[step]?.firstElementChild?.setAttribute('aria-current', 'step');
    const { atMs = 0, sentence = '' } = this.#all[step] ?? {};
    this.#write(step, atMs, sentence);
  }

  #write(step: number, atMs: number, sentence: string): void {
    this.#when.textContent = `Step ${step + 1} of ${this.#all.length}, ${shown(atMs)} ms: `;
    this.#what.data = sentence;
  }

  #toggle(): void {
    const playback = this.#playback();
    if (playback?.isPlaying === true) playback.pause();
    else playback?.play();
  }

  #go(move: (playback: Playback) => void): void {
    const playback = this.#playback();
    if (playback === undefined) return;
    playback.pause();
    move(playback);
  }
}

function shown(ms: number): string {
  return `${Number(ms.toFixed(1))}`;
}
