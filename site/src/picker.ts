import { type Catalogue, type Choice, CLIENTS_MAX, OWN_LOCK } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h } from './dom.ts';

/** Chooses a lock, a fault and a number of clients; deals a schedule for them, or searches a counterexample. */
export class Picker {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #lock = h('select', { onchange: () => this.#chosen() });
  readonly #own = h('option', { value: OWN_LOCK, hidden: true }, 'your own code');
  readonly #fault = h('select', { onchange: () => this.#chosen() });
  readonly #clients = h(
    'select',
    { onchange: () => this.#deal() },
    ...[2, 3, 4, CLIENTS_MAX].map((n) => h('option', { value: n, selected: n === 3 }, `${n}`)),
  );
  readonly #find = h(
    'button',
    { type: 'button', onclick: () => this.#search() },
    'Find a counterexample',
  );
  readonly #meaning = h('p', { class: 'hint' });
  readonly #progress = h('p', { class: 'hint', role: 'status' });
  #seed = 0;
  #isSearching = false;

  constructor(app: App) {
    this.#app = app;
    this.element = h(
      'div',
      {},
      h(
        'div',
        { class: 'row' },
        h('label', {}, 'Lock', this.#lock),
        h('label', {}, 'Fault', this.#fault),
        h('label', {}, 'Clients', this.#clients),
        h('button', { type: 'button', class: 'main', onclick: () => this.#deal() }, 'New run'),
        this.#find,
      ),
      this.#meaning,
      this.#progress,
    );
  }

  fill({ locks, faults }: Catalogue): void {
    const kinds = [
      ['lock', 'Locks'],
      ['exhibit', 'Naive and historical locks'],
      ['debated', 'From the debate'],
      ['control', 'Without a lock'],
    ] as const;
    this.#lock.replaceChildren(
      this.#own,
      ...kinds.map(([kind, label]) =>
        h(
          'optgroup',
          { label },
          ...locks
            .filter((each) => each.kind === kind)
            .map(({ id, meaning }) => h('option', { value: id, title: meaning }, id)),
        ),
      ),
    );
    this.#fault.replaceChildren(
      ...faults.map(({ id, meaning }) => h('option', { value: id, title: meaning }, id)),
    );
    this.update();
  }

  /** Follows what is shown. */
  update(): void {
    const { film, catalogue } = this.#app;
    if (film === undefined || catalogue === undefined) return;
    this.#own.hidden = film.story.backend !== OWN_LOCK;
    this.#lock.value = film.story.backend;
    this.#fault.value = film.story.fault;
    this.#explain();
  }

  #explain(): void {
    const { catalogue } = this.#app;
    const lock = catalogue?.locks.find(({ id }) => id === this.#lock.value);
    for (const option of this.#fault.options)
      option.disabled =
        lock?.hasServers === false &&
        catalogue?.faults.find(({ id }) => id === option.value)?.needsServers === true;
    const fault = catalogue?.faults.find(({ id }) => id === this.#fault.value);
    this.#meaning.textContent = [lock, fault]
      .flatMap((each) => (each === undefined ? [] : `${each.id}: ${each.meaning}.`))
      .join(' ');
  }

  #chosen(): void {
    const { catalogue } = this.#app;
    const lock = catalogue?.locks.find(({ id }) => id === this.#lock.value);
    const fault = catalogue?.faults.find(({ id }) => id === this.#fault.value);
    if (lock?.hasServers === false && fault?.needsServers === true) this.#fault.value = 'none';
    this.#deal();
  }

  /** Edited code stays until another lock is chosen. */
  get #choice(): Choice {
    const story = this.#app.film?.story;
    const lock = this.#lock.value;
    return {
      lock,
      ...(story?.backend === lock && story.code !== undefined && { code: story.code }),
      fault: this.#fault.value,
      clients: Number(this.#clients.value),
      seed: ++this.#seed,
    };
  }

  #deal(): void {
    const { engine } = this.#app;
    if (this.#isSearching) engine.stop('the search was stopped');
    this.#progress.textContent = '';
    const choice = this.#choice;
    const isLatest = this.#app.begin();
    void this.#app.attempt(async () => {
      const film = await this.#app.gate.ask('deal', choice, choice);
      if (isLatest()) await this.#app.show(film);
    });
  }

  #search(): void {
    const { engine } = this.#app;
    if (this.#isSearching) {
      engine.stop('the search was stopped');
      return;
    }
    this.#isSearching = true;
    this.#find.textContent = 'Stop the search';
    const choice = this.#choice;
    // A run that is still dealt would only flash up.
    this.#app.begin();
    const edited = choice.code === undefined ? '' : ' (edited)';
    const under = `${choice.lock}${edited} under ${choice.fault}`;
    void this.#app.attempt(async () => {
      try {
        const { film, plays } = await this.#app.gate.ask(
          'seek',
          choice,
          choice,
          ({ phase, plays: n, budget }) => {
            this.#progress.textContent =
              phase === 'searching'
                ? `Searching ${under}: ${n} of at most ${budget} schedules.`
                : `Found one; making it small: ${n} runs.`;
          },
        );
        this.#end(
          film === undefined
            ? `No counterexample for ${under} in ${plays} schedules. That bounds its rate below ${rate(plays)}; it proves no more.`
            : `Found after ${plays} schedules, and made small.`,
        );
        if (film === undefined) return;
        await this.#app.show(film);
        this.#app.playback?.play();
      } finally {
        if (this.#isSearching) this.#end('The search was stopped.');
      }
    });
  }

  #end(text: string): void {
    this.#isSearching = false;
    this.#find.textContent = 'Find a counterexample';
    this.#progress.textContent = text;
  }
}

/** With no case in n, the rate is below 3/n in 95 of 100 searches. */
function rate(plays: number): string {
  return (3 / Math.max(1, plays)).toPrecision(1);
}
