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
import { Dot } from './dot.ts';

/** More messages are never under way at once in a schedule that can be followed. */
const DOTS_MAX = 24;

/** The texts beside one lane that change with time. */
interface LaneTexts {
  readonly lane: StageLane;
  readonly clock: HTMLElement;
  readonly state: HTMLElement;
}

/**
 * One scene on the page: its verdict, its lanes, and what is under way at a moment. In layers, so that a frame paints only
 * what moves: the lanes, a veil over what is later, and what is above it.
 */
export class StageView {
  readonly element: HTMLElement;
  /** The upper layer, which takes the pointer. */
  readonly svg: SVGSVGElement;
  readonly stage: Stage;
  readonly #veil = h('div', { class: 'veil' });
  readonly #texts: readonly LaneTexts[];
  readonly #dots: readonly Dot[];

  constructor(scene: Scene, id: string, width: number) {
    const stage = stageOf(scene, { id, width });
    this.stage = stage;
    const { height, left } = stage;
    const size = { viewBox: `0 0 ${width} ${height}`, width, height };
    const title = `${scene.title}: lanes of clients, servers and the resource over time`;
    const lanes = s('svg', { ...size, role: 'img', 'aria-label': title });
    this.svg = s('svg', { ...size, class: 'over', role: 'presentation' });
    // Everything in the markup was escaped where it was drawn; edited code may have invented any of it.
    if (!isPicture(`<svg>${stage.markup}</svg>`)) throw new Error('its picture is not a picture');
    lanes.innerHTML = stage.markup;
    this.#texts = stage.lanes.map((lane) => ({
      lane,
      clock: this.#text('clock', lane.y + lane.height - 16),
      state: this.#text('state', lane.y + 27),
    }));
    this.#dots = Array.from({ length: DOTS_MAX }, () => new Dot());
    const margin = s('rect', { class: 'margin', x: 0, y: 0, width: left - 8, height });
    const names = stage.lanes.map(({ actor, y }) => {
      const name = s('text', { x: 8, y: y + 22, class: 'name ink' });
      name.textContent = actor.id;
      return name;
    });
    this.svg.append(margin, ...names);
    // A layer of their own: what changes in every frame has nothing else to paint again.
    const texts = this.#texts.flatMap(({ clock, state }) => [clock, state]);
    const moving = h(
      'div',
      { class: 'moving' },
      ...texts,
      ...this.#dots.map(({ element }) => element),
    );
    const layers = h('div', { class: 'layers' }, lanes, this.#veil, this.svg, moving);
    this.element = h('figure', { class: 'stage' }, this.#verdict(scene), layers);
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
    this.#veil.style.transform = `translateX(${x}px)`;
    const moving = stage.messagesAt(atMs);
    for (const [i, dot] of this.#dots.entries()) dot.show(x, moving[i]);
  }

  /** Shows the texts beside the lanes at the moment. */
  showTexts(atMs: number): void {
    for (const { lane, clock, state } of this.#texts) {
      setText(clock, this.stage.clockAt(lane, atMs));
      const isResource = lane.actor.kind === 'resource';
      setText(state, isResource ? this.stage.tokenAt(lane, atMs) : '');
    }
  }

  #text(name: string, y: number): HTMLElement {
    const text = h('span', { class: name });
    text.style.transform = `translate(8px, ${y}px)`;
    return text;
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

/** Replacing the text node would build its box anew. */
function setText(element: HTMLElement, text: string): void {
  const { firstChild } = element;
  if (!(firstChild instanceof Text)) element.append(text);
  else if (firstChild.data !== text) firstChild.data = text;
}
