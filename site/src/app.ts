import type { Catalogue, Edit, Film, LockChoice } from '@holdfast/harness/playground';
import { CodeGate } from './code-gate.ts';
import { h } from './dom.ts';
import { EditPanel } from './edit-panel.ts';
import { Engine } from './engine.ts';
import { Exercise } from './exercise.ts';
import { readFragment, writeFragment } from './fragment.ts';
import { elementsOf, frame, underStages } from './frame.ts';
import { Palette } from './palette.ts';
import { Picker } from './picker.ts';
import type { Playback } from './playback.ts';
import { Player } from './player.ts';
import { SharePanel } from './share-panel.ts';
import type { StageView } from './stage-view.ts';

export interface AppOptions {
  readonly worker: string | URL;
  /** The folder of all that the page loads. */
  readonly base: string | URL;
  /** Where the stories lie, one `name.json` each. */
  readonly stories: string | URL;
  /** Plays this story alone, without choices: for a lesson. */
  readonly story?: string;
  /** Shows this exercise alone: for a lesson. */
  readonly exercise?: string;
}

const FIRST_STORY = 'simple-pause';

/** The playground: it owns what is shown, and hands every change to its parts. */
export class App {
  readonly #options: AppOptions;
  readonly #root: ShadowRoot;
  readonly engine: Engine;
  readonly gate: CodeGate;
  readonly #problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  readonly #player = new Player();
  readonly #below = h('div');
  readonly #isWhole: boolean;
  readonly #exercise: Exercise | undefined;
  readonly #picker: Picker | undefined;
  readonly #palette: Palette | undefined;
  readonly #editing: EditPanel | undefined;
  readonly #share: SharePanel;
  #catalogue: Catalogue | undefined;
  #film: Film | undefined;
  #undo: Film[] = [];
  #on: readonly string[] = [];
  #turn = 0;

  constructor(element: HTMLElement, options: AppOptions) {
    this.#options = options;
    this.engine = new Engine(options.worker);
    this.gate = new CodeGate(this.engine, options.base);
    this.#root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    this.#share = new SharePanel(this);
    const { story, exercise, base } = options;
    this.#isWhole = story === undefined && exercise === undefined;
    this.#picker = this.#isWhole ? new Picker(this) : undefined;
    this.#palette = this.#isWhole ? new Palette(this) : undefined;
    this.#editing = this.#isWhole ? new EditPanel(this, base) : undefined;
    this.#exercise = exercise === undefined ? undefined : new Exercise(this, base, exercise);
    // An exercise has nothing to play until it was judged.
    this.#below.hidden = this.#exercise !== undefined;
    this.#below.append(...underStages(this.#player, [this.#palette, this.#editing], this.#share));
    this.#root.replaceChildren(
      ...frame(this.#player, [
        ...elementsOf(this.#picker, this.#exercise),
        this.#problem,
        this.gate.consent.element,
        this.#below,
      ]),
    );
    new ResizeObserver(() => {
      if (this.#player.isResized) this.#layOut(this.playback?.atMs);
    }).observe(element);
  }

  get film(): Film | undefined {
    return this.#film;
  }

  get catalogue(): Catalogue | undefined {
    return this.#catalogue;
  }

  get on(): readonly string[] {
    return this.#on;
  }

  get playback(): Playback | undefined {
    return this.#player.playback;
  }

  /** The first view is that of the film alone or among others. */
  get mainView(): StageView | undefined {
    return this.#player.views[0];
  }

  /** Shows what the address says, or the first story. */
  async start(): Promise<void> {
    if (this.#exercise !== undefined) return await this.attempt(() => this.#exercise!.begin());
    if (this.#options.story !== undefined) return await this.openStory(this.#options.story);
    await this.#openAddress();
    this.#catalogue = await this.engine.request('catalogue', {});
    this.#picker?.fill(this.#catalogue);
    this.#palette?.update();
    this.#editing?.update();
    this.#share.update();
    addEventListener('hashchange', () => {
      // After a fragment that was refused, that of what is shown needs no new run.
      if (location.hash.slice(1) === this.#address()) this.#problem.hidden = true;
      else void this.#openAddress();
    });
  }

  async #openAddress(): Promise<void> {
    const { story, on, atMs } = readFragment(location.hash);
    this.#on = on;
    if (story === undefined) await this.openStory(FIRST_STORY);
    else await this.open(story, atMs);
  }

  /** Plays a story of ours by its name. */
  async openStory(name: string): Promise<void> {
    await this.attempt(async () => this.show(await this.#storyNamed(name)));
  }

  async #storyNamed(name: string): Promise<Film> {
    const reply = await fetch(`${this.#options.stories}${name}.json`);
    if (!reply.ok) throw new Error(`unknown story "${name}"`);
    return await this.engine.request('read', { text: await reply.text() });
  }

  /** Begins to show something new. What was begun earlier and comes later is not shown: the reader chose again. */
  begin(): () => boolean {
    const turn = ++this.#turn;
    return () => turn === this.#turn;
  }

  /** Plays a replay string, or the JSON of a story. */
  async open(text: string, atMs?: number): Promise<void> {
    const isLatest = this.begin();
    await this.attempt(async () => {
      const { backend: lock, code } = await this.engine.request('story', { text });
      const run = async (): Promise<void> => {
        const film = await this.gate.ask('read', { text }, { lock, code });
        if (isLatest()) await this.show(film, atMs);
      };
      if (code === undefined || this.gate.isAdmitted(code)) return await run();
      this.gate.show(code, () => void this.attempt(run));
      await this.#showSomething();
    });
  }

  /** While code waits for its reader, there may be nothing else to see yet. */
  async #showSomething(): Promise<void> {
    if (this.#film !== undefined) return;
    await this.#showFilm(await this.#storyNamed(FIRST_STORY), undefined, { keepsAddress: true });
  }

  /** Plays the schedule that is shown, or another, on code that the reader wrote. */
  async run(lock: LockChoice, schedule = this.#film?.story.schedule): Promise<void> {
    if (schedule === undefined) return;
    this.gate.admit(lock.code);
    await this.attempt(async () =>
      this.show(await this.gate.ask('edit', { ...lock, schedule }, lock)),
    );
  }

  /** Shows a film as something new, at rest; the one before can be brought back. */
  async show(film: Film, atMs?: number): Promise<void> {
    this.playback?.pause();
    if (this.#film !== undefined) this.#undo.push(this.#film);
    await this.#showFilm(film, atMs);
  }

  /** Changes the schedule that is shown, and plays it again at the same moment. */
  async edit(edit: Omit<Edit, 'lock' | 'schedule'>, base = this.#film): Promise<void> {
    if (base === undefined) return;
    const { backend: lock, code, schedule } = base.story;
    await this.attempt(async () => {
      const film = await this.gate.ask('edit', { lock, code, schedule, ...edit }, { lock, code });
      await this.#showFilm(film, this.playback?.atMs);
    });
  }

  /** Remembers the film that is shown, before a change. */
  remember(): void {
    if (this.#film !== undefined) this.#undo.push(this.#film);
    this.#palette?.update();
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  async undo(): Promise<void> {
    const film = this.#undo.pop();
    if (film !== undefined) await this.#showFilm(film, this.playback?.atMs);
  }

  async compare(locks: readonly string[]): Promise<void> {
    this.#on = locks;
    if (this.#film !== undefined) await this.#showFilm(this.#film, this.playback?.atMs);
  }

  /** Says what went wrong; the film that is shown stays. */
  async attempt(run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.#problem.hidden = true;
    } catch (error) {
      this.#problem.textContent = `This cannot be played: ${error instanceof Error ? error.message : String(error)}`;
      this.#problem.hidden = false;
    }
  }

  async #showFilm(
    film: Film,
    atMs: number | undefined,
    { keepsAddress = false }: { readonly keepsAddress?: boolean } = {},
  ): Promise<void> {
    this.#film = film;
    this.#below.hidden = false;
    if (!keepsAddress) this.gate.consent.hide();
    this.#player.scenes = [film.scene];
    const others = this.#on.filter((name) => name !== film.story.backend);
    if (others.length > 0)
      await this.attempt(async () => {
        this.#player.scenes = [film.scene, ...(await this.gate.compare(film.story, others))];
      });
    if (this.#film !== film) return;
    this.#layOut(atMs);
    if (this.#isWhole && !keepsAddress) history.replaceState(null, '', `#${this.#address()}`);
  }

  #layOut(atMs: number | undefined): void {
    this.#player.layOut(atMs, () => {
      this.#palette?.update();
      this.#picker?.update();
      this.#editing?.update();
      this.#share.update();
    });
  }

  #address(): string {
    return writeFragment({ story: this.#film?.link, on: this.#on, atMs: undefined });
  }
}
