import { OWN_LOCK, type StoryCode } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h } from './dom.ts';
import type * as EditorModule from './editor.ts';
import { loadEditor } from './load-editor.ts';
import { loadStarts, type Start, type Starts, startsFor } from './starts.ts';

/** The code of a lock in an editor: change it, or start from a famous mistake, and run it at once. */
export class EditPanel {
  readonly element: HTMLDetailsElement;
  readonly #app: App;
  readonly #base: URL;
  readonly #start = h('select', { onchange: () => this.#begin() });
  readonly #file = h('select', { onchange: () => this.#showFile() });
  readonly #why = h('p', { class: 'hint' });
  readonly #place = h('div', { class: 'editor' });
  readonly #status = h('p', { class: 'hint', role: 'status' });
  #editor: EditorModule.Editor | undefined;
  #starts: Starts | undefined;
  /** The lock whose files are shown, with the files as they ship and those that differ. */
  #lock = '';
  #shipped: StoryCode['files'] = {};
  #changed: Record<string, string> = {};
  #shownKey = '';

  constructor(app: App, base: string | URL) {
    this.#app = app;
    this.#base = new URL('edit/', base);
    const run = (): void => void this.#run();
    this.element = h(
      'details',
      { ontoggle: () => void this.#open() },
      h('summary', {}, 'Edit the code'),
      h(
        'p',
        { class: 'hint' },
        'Change the lock and run it: delete the compare in the release script, say, and see who breaks. Break it yourself, New run and Find then use your code. It runs in a sandbox without a network.',
      ),
      h(
        'div',
        { class: 'row' },
        h('label', {}, 'Start from', this.#start),
        h('label', {}, 'File', this.#file),
        h('button', { type: 'button', class: 'main', onclick: run }, 'Run this code'),
        h('button', { type: 'button', onclick: () => this.#begin() }, 'Discard my changes'),
      ),
      this.#why,
      this.#place,
      this.#status,
    );
    this.#place.addEventListener('keydown', (event) => {
      // Keys of the player are letters and arrows here.
      event.stopPropagation();
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
    });
  }

  /** Follows what is shown: another lock, or code that came with a link. */
  update(): void {
    const { film, catalogue } = this.#app;
    if (this.#starts === undefined || film === undefined || catalogue === undefined) return;
    const { backend, code } = film.story;
    const key = JSON.stringify([backend, code?.files]);
    if (key === this.#shownKey) return;
    this.#shownKey = key;
    if (backend !== this.#lock || this.#start.options.length === 0) this.#list(backend);
    this.#changed = { ...code?.files };
    if (backend === OWN_LOCK) this.#shipped = {};
    this.#listFiles();
  }

  async #open(): Promise<void> {
    if (this.#starts !== undefined || !this.element.open) return;
    this.#status.textContent = 'Loading the editor …';
    await this.#app.attempt(async () => {
      const [editor, starts] = await Promise.all([
        loadEditor(this.#base, this.#place, (text) => this.#edited(text)),
        loadStarts(this.#base),
      ]);
      this.#editor = editor;
      this.#starts = starts;
      this.update();
    });
    this.#status.textContent = '';
  }

  /** Where one can start with a lock: its own files, mistakes in them, and locks of a single file. */
  #list(lock: string): void {
    const starts = this.#starts;
    if (starts === undefined) return;
    this.#lock = lock;
    const name = this.#app.catalogue?.locks.find(({ id }) => id === lock)?.edits ?? '';
    this.#shipped = starts.sources[name] ?? {};
    const { mistakes, exercises } = startsFor(starts, lock, name);
    this.#start.replaceChildren(
      ...(name === '' ? [] : [h('option', { value: '' }, `${lock}, as it ships`)]),
      h('optgroup', { label: 'Famous mistakes' }, ...mistakes.map(option)),
      h('optgroup', { label: 'Exercises: a lock of your own' }, ...exercises.map(option)),
    );
    this.#why.textContent = '';
  }

  #begin(): void {
    const start = this.#starts?.all.find(({ id }) => id === this.#start.value);
    this.#why.textContent = start?.why ?? '';
    if (start === undefined) {
      this.#changed = {};
      this.#listFiles();
      return;
    }
    const { lock, files, schedule } = start;
    this.#lock = lock;
    this.#shipped = lock === OWN_LOCK ? {} : this.#shipped;
    this.#changed = { ...files };
    this.#listFiles(start.selected);
    this.#shownKey = JSON.stringify([lock, files]);
    void this.#app.run({ lock, code: { files } }, schedule);
  }

  #listFiles(selected?: Start['selected']): void {
    const paths = [...new Set([...Object.keys(this.#changed), ...Object.keys(this.#shipped)])];
    const own = this.#app.catalogue?.locks.find(({ id }) => id === this.#lock)?.entry ?? '';
    // First what was changed, then what an exhibit is made of, then the scripts, which are what people come for.
    const rank = (path: string): number =>
      [
        Object.hasOwn(this.#changed, path),
        path === own && own !== 'index.ts',
        path === 'scripts.ts',
        path === 'contender.ts',
      ]
        .map(Number)
        .reduce((sum, each) => sum * 2 + each, 0);
    paths.sort((a, b) => rank(b) - rank(a) || a.localeCompare(b));
    this.#file.replaceChildren(
      ...paths.map((path) =>
        h('option', { value: path }, `${Object.hasOwn(this.#changed, path) ? '● ' : ''}${path}`),
      ),
    );
    this.#showFile(selected);
  }

  #showFile(selected?: Start['selected']): void {
    const path = this.#file.value;
    const text = this.#changed[path] ?? this.#shipped[path];
    this.#place.hidden = text === undefined;
    this.#status.textContent =
      text === undefined ? `The code of ${this.#lock} cannot be edited; choose another lock.` : '';
    if (text !== undefined) this.#editor?.show(text, `Code of ${path}`, selected);
  }

  #edited(text: string): void {
    const path = this.#file.value;
    if (text === this.#shipped[path]) delete this.#changed[path];
    else this.#changed[path] = text;
  }

  async #run(): Promise<void> {
    const files = { ...this.#changed };
    const isShipped = Object.keys(files).length === 0;
    this.#shownKey = JSON.stringify([this.#lock, isShipped ? undefined : files]);
    this.#status.textContent = 'Running …';
    await this.#app.run({ lock: this.#lock, ...(!isShipped && { code: { files } }) });
    this.#status.textContent = isShipped
      ? 'This is the code as it ships.'
      : `Run with your changes in ${Object.keys(files).join(', ')}. The verdict is above.`;
  }
}

function option({ id, title }: Start): HTMLOptionElement {
  return h('option', { value: id }, title);
}
