import type { Film, PlaceableFault } from '@holdfast/harness/playground';
import type { App } from './app.ts';
import { h, s } from './dom.ts';
import type { StageView } from './stage-view.ts';

/** An arrow key moves a fault by so many ms. */
const KEY_MS = 10;

/** Break it yourself: drags faults onto lanes, and along them. The same can be done with a form, and with keys. */
export class Palette {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #buttons = h('div', { class: 'row palette' });
  readonly #fault = h('select', { onchange: () => this.#fillLanes() });
  readonly #lane = h('select');
  readonly #at = h('input', { type: 'number', min: 0, step: 1, value: 20 });
  readonly #ms = h('input', { type: 'number', min: 0, step: 1, value: 1200 });
  readonly #undo = h('button', { type: 'button', onclick: () => void this.#app.undo() }, 'Undo');
  readonly #placed = h('div', { class: 'row' });

  constructor(app: App) {
    this.#app = app;
    this.element = h(
      'details',
      { open: true },
      h('summary', {}, 'Break it yourself'),
      h(
        'p',
        { class: 'hint' },
        'Drag a fault onto a lane, or a round handle along it, and watch the verdict. Keys: arrows move a handle, Delete removes it.',
      ),
      this.#buttons,
      h(
        'form',
        {
          class: 'row',
          onsubmit: (event: Event) => {
            event.preventDefault();
            this.#add(
              this.#fault.value,
              this.#lane.value,
              Number(this.#at.value),
              Number(this.#ms.value),
            );
          },
        },
        h('label', {}, 'Fault', this.#fault),
        h('label', {}, 'on lane', this.#lane),
        h('label', {}, 'at ms', this.#at),
        h('label', {}, 'for ms', this.#ms),
        h('button', { type: 'submit' }, 'Add'),
        this.#undo,
      ),
      this.#placed,
    );
  }

  /** Follows what is shown. */
  update(): void {
    const { film, catalogue } = this.#app;
    this.#undo.disabled = !this.#app.canUndo;
    if (film === undefined || catalogue === undefined) return;
    const kinds = new Set(film.scene.actors.map(({ kind }) => kind));
    const usable = catalogue.placeable.filter(({ on }) => kinds.has(on));
    const key = usable.map(({ id }) => id).join();
    if (this.#fault.dataset['key'] !== key) {
      this.#fault.dataset['key'] = key;
      this.#fault.replaceChildren(...usable.map(({ id }) => h('option', { value: id }, id)));
      this.#buttons.replaceChildren(...usable.map((fault) => this.#source(fault)));
    }
    this.#fillLanes();
    this.#listPlaced(film);
    const view = this.#app.mainView;
    if (view !== undefined) this.#addHandles(view, film);
  }

  #fillLanes(): void {
    const { film } = this.#app;
    const on = this.#placeable(this.#fault.value)?.on;
    const lanes = film?.scene.actors.filter(({ kind }) => kind === on).map(({ id }) => id) ?? [];
    if (lanes.join() === [...this.#lane.options].map(({ value }) => value).join()) return;
    this.#lane.replaceChildren(...lanes.map((id) => h('option', { value: id }, id)));
  }

  #placeable(id: string): PlaceableFault | undefined {
    return this.#app.catalogue?.placeable.find((each) => each.id === id);
  }

  #add(kind: string, lane: string, atMs: number, ms?: number): void {
    this.#app.remember();
    void this.#app.edit({ add: { kind, lane, atMs, ...(ms === undefined ? {} : { ms }) } });
  }

  /** A button that is dragged onto a lane; a click selects its fault in the form. */
  #source(fault: PlaceableFault): HTMLElement {
    const element = h(
      'button',
      { type: 'button', title: `drag onto the lane of a ${fault.on}` },
      `↯ ${fault.id}`,
    );
    element.addEventListener('click', () => {
      this.#fault.value = fault.id;
      this.#fillLanes();
      this.#at.focus();
    });
    element.addEventListener('pointerdown', (down) => {
      element.setPointerCapture(down.pointerId);
      const mark = s('line', { class: 'drop' });
      const move = (event: PointerEvent): void => this.#aim(mark, fault, event);
      const up = (event: PointerEvent): void => {
        element.removeEventListener('pointermove', move);
        mark.remove();
        const target = this.#target(fault, event);
        if (target !== undefined) this.#add(fault.id, target.lane, target.atMs);
      };
      element.addEventListener('pointermove', move);
      element.addEventListener('pointerup', up, { once: true });
      element.addEventListener('pointercancel', () => mark.remove(), { once: true });
    });
    return element;
  }

  #aim(mark: SVGLineElement, fault: PlaceableFault, { clientX, clientY }: PointerEvent): void {
    const view = this.#app.mainView;
    const found = view?.at(clientX, clientY);
    if (view === undefined || found?.lane.actor.kind !== fault.on) return mark.remove();
    const x = view.stage.x(found.atMs);
    for (const [name, value] of Object.entries({
      x1: x,
      x2: x,
      y1: found.lane.y,
      y2: found.lane.y + found.lane.height,
    }))
      mark.setAttribute(name, `${value}`);
    view.svg.append(mark);
  }

  #target(
    fault: PlaceableFault,
    { clientX, clientY }: PointerEvent,
  ): { readonly lane: string; readonly atMs: number } | undefined {
    const found = this.#app.mainView?.at(clientX, clientY);
    if (found?.lane.actor.kind !== fault.on) return undefined;
    return { lane: found.lane.actor.id, atMs: found.atMs - (this.#app.film?.beginMs ?? 0) };
  }

  /** A round handle at every fault that took effect at a time. */
  #addHandles(view: StageView, film: Film): void {
    for (const { fault, atMs, lanes } of film.marks) {
      const element = film.story.schedule.faults[fault];
      const lane = view.stage.lanes.find(({ actor }) => actor.id === lanes[0]);
      if (element?.when === undefined || lane === undefined) continue;
      const handle = s('circle', {
        class: 'handle',
        r: 8,
        cx: view.stage.x(atMs),
        cy: lane.y + lane.height - 12,
        tabindex: 0,
        role: 'slider',
        'aria-label': `${element.kind} on ${lane.actor.id}`,
        'aria-valuemin': 0,
        'aria-valuemax': Math.round(view.stage.endMs),
        'aria-valuenow': Math.round(atMs),
        'data-fault': fault,
      });
      handle.addEventListener('keydown', (event) => this.#onKey(event, fault, atMs - film.beginMs));
      handle.addEventListener('pointerdown', (down) => this.#drag(down, { view, film, fault }));
      view.svg.append(handle);
    }
    // Children that can be focused are not part of a picture.
    if (film.marks.length > 0) view.svg.setAttribute('role', 'group');
  }

  #onKey(event: KeyboardEvent, nth: number, atMs: number): void {
    const by = { ArrowLeft: -KEY_MS, ArrowRight: KEY_MS }[event.key];
    if (by === undefined && event.key !== 'Delete') return;
    event.preventDefault();
    event.stopPropagation();
    this.#app.remember();
    const edit = by === undefined ? { nth } : { nth, move: { atMs: Math.max(0, atMs + by) } };
    void this.#app.edit(edit).then(() => this.#focusHandle(nth));
  }

  #focusHandle(nth: number): void {
    this.#app.mainView?.svg.querySelector<SVGElement>(`[data-fault="${nth}"]`)?.focus();
  }

  /** The scale is that at the start, so that a lane does not move away under the pointer. */
  #drag(
    down: PointerEvent,
    {
      view,
      film,
      fault: nth,
    }: { readonly view: StageView; readonly film: Film; readonly fault: number },
  ): void {
    down.preventDefault();
    this.#app.remember();
    const box = view.svg.getBoundingClientRect();
    let wanted: number | undefined;
    let isBusy = false;
    const next = async (): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      while (wanted !== undefined) {
        const atMs = wanted;
        wanted = undefined;
        await this.#app.edit({ nth, move: { atMs } }, film);
      }
      isBusy = false;
    };
    const move = ({ clientX }: PointerEvent): void => {
      const x = ((clientX - box.left) / box.width) * view.stage.width;
      wanted = Math.max(0, view.stage.msAt(x) - film.beginMs);
      void next();
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
  }

  /** The faults of the schedule, also those without effect, each with a button that removes it. */
  #listPlaced({ story }: Film): void {
    this.#placed.replaceChildren(
      ...story.schedule.faults.map((fault, nth) =>
        h(
          'button',
          {
            type: 'button',
            title: 'remove this fault',
            onclick: () => {
              this.#app.remember();
              void this.#app.edit({ nth });
            },
          },
          `✕ ${fault.kind}${fault.client === undefined ? '' : ` of ${fault.client.toUpperCase()}`}`,
        ),
      ),
    );
  }
}
