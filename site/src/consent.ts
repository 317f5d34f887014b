import type { StoryCode } from '@holdfast/harness/playground';
import { h } from './dom.ts';

/** Shows code that came with a link. Nothing of it runs until the reader says so. */
export class Consent {
  readonly element: HTMLElement = h('section', { hidden: true, 'aria-label': 'Code in the link' });

  ask({ files }: StoryCode, onAgreed: () => void): void {
    const shown = Object.entries(files).flatMap(([path, text]) => [
      h('h4', {}, path),
      h('pre', { tabindex: 0, 'aria-label': path }, text),
    ]);
    const agree = (): void => {
      this.hide();
      onAgreed();
    };
    this.element.replaceChildren(
      h(
        'p',
        { role: 'alert' },
        'This link carries code. Nothing of it has run yet. Read it first:',
      ),
      ...shown,
      h('button', { type: 'button', class: 'main', onclick: agree }, 'I have read it: run it here'),
      h('p', { class: 'hint' }, 'It would run in a sandbox without a network and without storage.'),
    );
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}
