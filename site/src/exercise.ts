import { OWN_LOCK, type Requests, type SeekProgress } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h } from './dom.ts';
import type * as EditorModule from './editor.ts';
import { loadEditor } from './load-editor.ts';
import { loadStarts, type Start } from './starts.ts';

/** What one run of the judge searches for. */
type Search = Pick<Requests['seek']['request'], 'fault' | 'target'>;

/** A fixed lock is not proved correct by this; a broken one is found by far fewer. */
const BUDGET = 2_000;

/** An exercise of a lesson: the reader makes its lock safe, and the search is the judge. */
export class Exercise {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #base: URL;
  readonly #name: string;
  readonly #place = h('div', { class: 'editor' });
  readonly #status = h('p', { role: 'status' });
  #editor: EditorModule.Editor | undefined;
  #start: Start | undefined;

  constructor(app: App, base: string | URL, name: string) {
    this.#app = app;
    this.#base = new URL('edit/', base);
    this.#name = name;
    this.element = h(
      'div',
      {},
      this.#place,
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          { type: 'button', class: 'main', onclick: () => void this.#judge() },
          'Let the search judge it',
        ),
        h('button', { type: 'button', onclick: () => this.#show() }, 'Start over'),
      ),
      this.#status,
    );
    // Keys of the player, and of the site's search, are letters here.
    this.#place.addEventListener('keydown', (event) => event.stopPropagation());
  }

  /** Shows the exercise as it ships. @throws Error if there is none of this name */
  async begin(): Promise<void> {
    const [editor, { all }] = await Promise.all([
      loadEditor(this.#base, this.#place, () => {}),
      loadStarts(this.#base),
    ]);
    this.#editor = editor;
    this.#start = all.find(({ id }) => id === `${OWN_LOCK}/${this.#name}`);
    if (this.#start === undefined) throw new Error(`unknown exercise "${this.#name}"`);
    this.#show();
  }

  get #shipped(): string {
    return Object.values(this.#start?.files ?? {})[0] ?? '';
  }

  #show(): void {
    this.#editor?.show(this.#shipped, `Code of exercise ${this.#name}`);
    this.#status.textContent = '';
  }

  async #judge(): Promise<void> {
    const code = { files: { [`${this.#name}.js`]: this.#editor?.text ?? '' } };
    const lock = { lock: OWN_LOCK, code };
    this.#app.gate.admit(code);
    this.#status.textContent = 'Loading …';
    await this.#app.attempt(async () => {
      const searches = searchesIn(this.#shipped);
      for (const search of searches) {
        const request = { ...lock, ...search, clients: 3, seed: 1, budget: BUDGET };
        const { film, plays } = await this.#app.gate.ask('seek', request, lock, (progress) =>
          this.#report(search, progress),
        );
        if (film === undefined) continue;
        this.#status.textContent = `Not yet: schedule ${plays} under ${search.fault} breaks it. Watch it, change the code, and ask again.`;
        await this.#app.show(film);
        return;
      }
      const faults = searches.map(({ fault }) => fault).join(' and ');
      this.#status.textContent = `✓ It held in ${BUDGET} schedules under ${faults}. The terminal searches ten times as many.`;
    });
    if (this.#status.textContent.endsWith('…')) this.#status.textContent = '';
  }

  #report({ fault }: Search, { phase, plays }: SeekProgress): void {
    this.#status.textContent =
      phase === 'searching'
        ? `Searching under ${fault}: ${plays} of ${BUDGET} schedules …`
        : `It breaks; making the schedule small: ${plays} runs …`;
  }
}

/** The searches that the head of an exercise names, as commands for the terminal. */
function searchesIn(text: string): readonly Search[] {
  return Array.from(text.matchAll(/npx holdfast find \S+ (.+)$/gm), ([, words = '']): Search => {
    const [, fault = 'none'] = /--fault (\S+)/.exec(words) ?? [];
    const [, property] = /--property (\S+)/.exec(words) ?? [];
    const fenced = words.includes('--fenced');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read where the search begins
    return {
      fault,
      target: { property: property ?? (fenced ? 'resource' : 'validity'), fenced },
    } as Search;
  });
}
