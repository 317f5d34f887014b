import { COMPARED_MAX, REPLAY_STRING_MAX } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h } from './dom.ts';

/** The address of what is shown, the same for the terminal, and the locks to compare. */
export class SharePanel {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #how = h('p', { class: 'hint' });
  readonly #command = h('code', {});
  readonly #copy = h('button', { type: 'button', onclick: () => this.#copyShown() });
  readonly #differs = h('p', { class: 'hint' });
  readonly #locks = h('div', { class: 'row' });
  readonly #compare = h(
    'details',
    {},
    h('summary', {}, 'Compare: the same schedule on other locks'),
    this.#locks,
  );
  readonly #text = h('textarea', {
    'aria-label': 'A replay string, or the JSON of a story',
    spellcheck: 'false',
  });
  readonly #copied = h('span', { role: 'status', class: 'hint' });

  constructor(app: App) {
    this.#app = app;
    this.element = h(
      'div',
      {},
      this.#compare,
      h(
        'details',
        {},
        h('summary', {}, 'Share, or play what somebody shared'),
        this.#how,
        h('p', {}, this.#command),
        this.#differs,
        h('div', { class: 'row' }, this.#copy, this.#copied),
        this.#text,
        h('button', { type: 'button', onclick: () => this.#open() }, 'Play this'),
      ),
    );
  }

  update(): void {
    const { film, catalogue, on } = this.#app;
    if (film === undefined) return;
    const { link } = film;
    this.#how.textContent =
      link === undefined
        ? `The code is too long for an address, which has at most ${REPLAY_STRING_MAX} characters. Copy the story into a file; it can be played here, too. In a terminal:`
        : 'The address of this page holds the whole run. In a terminal:';
    this.#copy.textContent = link === undefined ? 'Copy the story' : 'Copy the address';
    this.#command.textContent = `npx holdfast replay ${link ?? '--run-code ./story.json'}`;
    this.#differs.textContent = [`Trace ${film.story.expect.hash}.`, ...film.differences].join(' ');
    this.#compare.hidden = catalogue === undefined || film.story.schedule.choices !== undefined;
    this.#locks.replaceChildren(
      ...(catalogue?.locks ?? [])
        .filter(
          ({ kind, hasServers, id }) =>
            kind !== 'debated' && hasServers && id !== film.story.backend,
        )
        .map(({ id }) =>
          h(
            'label',
            { class: 'check' },
            h('input', {
              type: 'checkbox',
              checked: on.includes(id),
              disabled: !on.includes(id) && on.length >= COMPARED_MAX - 1,
              onchange: () => this.#toggle(id),
            }),
            id,
          ),
        ),
    );
  }

  #toggle(id: string): void {
    const { on } = this.#app;
    void this.#app.compare(on.includes(id) ? on.filter((each) => each !== id) : [...on, id]);
  }

  #open(): void {
    const text = this.#text.value.trim();
    const [, inside = text] = /#(r\d+\.[\w-]+)/.exec(text) ?? [];
    void this.#app.open(inside);
  }

  #copyShown(): void {
    const { film } = this.#app;
    const text = film?.link === undefined ? JSON.stringify(film?.story) : location.href;
    navigator.clipboard.writeText(text).then(
      () => {
        this.#copied.textContent = 'Copied.';
      },
      () => {
        this.#copied.textContent =
          film?.link === undefined
            ? 'The browser refused to copy it.'
            : 'The browser refused; copy it from the address bar.';
      },
    );
  }
}
