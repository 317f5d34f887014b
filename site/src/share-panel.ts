import { COMPARED_MAX } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h } from './dom.ts';

/** The address of what is shown, the same for the terminal, and the locks to compare. */
export class SharePanel {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #command = h('code', {});
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
        h('p', { class: 'hint' }, 'The address of this page holds the whole run. In a terminal:'),
        h('p', {}, this.#command),
        this.#differs,
        h(
          'div',
          { class: 'row' },
          h('button', { type: 'button', onclick: () => this.#copy() }, 'Copy the address'),
          this.#copied,
        ),
        this.#text,
        h('button', { type: 'button', onclick: () => this.#open() }, 'Play this'),
      ),
    );
  }

  update(): void {
    const { film, catalogue, on } = this.#app;
    if (film === undefined) return;
    this.#command.textContent = `npx holdfast replay ${film.link}`;
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

  #copy(): void {
    navigator.clipboard.writeText(location.href).then(
      () => {
        this.#copied.textContent = 'Copied.';
      },
      () => {
        this.#copied.textContent = 'The browser refused; copy it from the address bar.';
      },
    );
  }
}
