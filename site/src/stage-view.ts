import {
  headlineOf,
  isPicture,
  meaningOf,
  OUTCOMES,
  type Scene,
  type Stage,
  type StageLane,
  stageOf,
} from '@holdfast/harness/draw';
import { h, s } from './dom.ts';

/** More messages are never under way at once in a schedule that can be followed. */
const DOTS_MAX = 24;

/** The texts beside one lane that change with time. */
interface LaneTexts {
  readonly lane: StageLane;
  readonly clock: SVGTextElement;
  readonly state: SVGTextElement;
}

/** One scene on the page: its verdict, its lanes, and what is under way at a moment. */
export class StageView {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly stage: Stage;
  readonly #veil: SVGRectElement;
  readonly #head: SVGLineElement;
  readonly #texts: readonly LaneTexts[];
  readonly #dots: readonly SVGCircleElement[];

  constructor(scene: Scene, id: string, width: number) {
    const stage = stageOf(scene, { id, width });
    this.stage = stage;
    const { height, left } = stage;
    const title = `${scene.title}: lanes of clients, servers and the resource over time`;
    this.svg = s('svg', {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': title,
    });
    // Everything in the markup was escaped where it was drawn; edited code may have invented any of it.
    if (!isPicture(`<svg>${stage.markup}</svg>`)) throw new Error('its picture is not a picture');
    this.svg.innerHTML = stage.markup;
    this.#veil = s('rect', { class: 'veil', y: 0, height, x: left });
    this.#head = s('line', { class: 'playhead', y1: 0, y2: height });
    this.#texts = stage.lanes.map((lane) => ({
      lane,
      clock: s('text', { x: 8, y: lane.y + lane.height - 7, class: 'clock ink' }),
      state: s('text', { x: 8, y: lane.y + 36, class: 'small ink' }),
    }));
    this.#dots = Array.from({ length: DOTS_MAX }, () => s('circle', { r: 4.5, class: 'dot' }));
    const margin = s('rect', { class: 'margin', x: 0, y: 0, width: left - 8, height });
    const names = stage.lanes.map(({ actor, y }) => {
      const name = s('text', { x: 8, y: y + 22, class: 'name ink' });
      name.textContent = actor.id;
      return name;
    });
    this.svg.append(this.#veil, margin, ...names, this.#head, ...this.#dots);
    for (const { clock, state } of this.#texts) this.svg.append(clock, state);
    this.element = h('figure', { class: 'stage' }, this.#verdict(scene), this.svg);
  }

  #verdict(scene: Scene): HTMLElement {
    const { outcome, text } = headlineOf(scene);
    const { glyph, colour } = OUTCOMES[outcome];
    return h(
      'figcaption',
      {},
      h('strong', { class: `verdict v-${colour}` }, `${glyph} ${text}`),
      h('span', { class: 'title' }, scene.title),
      h('p', { class: 'why' }, meaningOf(scene)),
    );
  }

  /** Shows the moment: what is later stays under a veil. */
  show(atMs: number): void {
    const { stage } = this;
    const x = stage.x(Math.min(Math.max(atMs, stage.startMs), stage.endMs));
    this.#veil.setAttribute('x', `${x}`);
    this.#veil.setAttribute('width', `${Math.max(0, stage.width - x)}`);
    this.#head.setAttribute('x1', `${x}`);
    this.#head.setAttribute('x2', `${x}`);
    for (const { lane, clock, state } of this.#texts) {
      setText(clock, stage.clockAt(lane, atMs));
      setText(state, lane.actor.kind === 'resource' ? stage.tokenAt(lane, atMs) : '');
    }
    const moving = stage.messagesAt(atMs);
    for (const [i, dot] of this.#dots.entries()) {
      const message = moving[i];
      dot.style.display = message === undefined ? 'none' : '';
      if (message === undefined) continue;
      dot.setAttribute('cx', `${x}`);
      dot.setAttribute('cy', `${message.y}`);
      dot.classList.toggle('lost', message.isLost);
    }
  }

  /** The lane and the time under a point of the window; undefined beside the lanes. */
  at(
    clientX: number,
    clientY: number,
  ): { readonly lane: StageLane; readonly atMs: number } | undefined {
    const box = this.svg.getBoundingClientRect();
    const scale = box.width / this.stage.width;
    const [x, y] = [(clientX - box.left) / scale, (clientY - box.top) / scale];
    const lane = this.stage.lanes.find((each) => y >= each.y && y < each.y + each.height);
    if (lane === undefined || x < this.stage.left - 8 || x > this.stage.width) return undefined;
    return { lane, atMs: this.stage.msAt(x) };
  }
}

function setText(element: SVGTextElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
