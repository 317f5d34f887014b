import type { MessageOnWay } from '@holdfast/harness/draw';
import { h } from './dom.ts';

/** Left of the stage, which clips it: out of sight without a change of layout. */
const AWAY = 'translate(-20px)';

/** A message under way. Only its transform changes from frame to frame, so that a frame lays out and paints nothing. */
export class Dot {
  readonly element: HTMLElement = h('i', { class: 'dot' });
  #isAway = false;
  #isLost = false;

  constructor() {
    this.show(0, undefined);
  }

  show(x: number, message: MessageOnWay | undefined): void {
    const isAway = message === undefined;
    if (isAway && this.#isAway) return;
    this.#isAway = isAway;
    this.element.style.transform = isAway ? AWAY : `translate(${x}px, ${message.y}px)`;
    if (isAway || message.isLost === this.#isLost) return;
    this.#isLost = message.isLost;
    this.element.classList.toggle('lost', message.isLost);
  }
}
