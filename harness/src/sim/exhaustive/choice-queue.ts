import { EventQueue, type Queue, RANK, type SimEvent } from '../event-queue.ts';
import { ChannelNames } from './channel-names.ts';
import type { Choice, Chooser } from './choice.ts';

/** A span of time that passes at once. */
export interface TimeAdvance extends Choice {
  readonly atUs: number;
  /** True if it ends a lease. */
  readonly isSeen: boolean;
  readonly advanced: () => void;
}

/** The state of a queue, to decide whether time may pass. */
export interface QueueState {
  readonly nowUs: number;
  /** True if no other event can come next. */
  readonly isIdle: boolean;
  /** True if no message is on its way, and no timer due. */
  readonly isQuiet: boolean;
  /** Of the next timer. */
  readonly dueUs: number | undefined;
}

/** The steering of a run. */
export interface SteeringContext {
  readonly chooser: Chooser;
  /** Returns the client that a timer belongs to. A prompt timer fires when it is due, as part of the step before. */
  readonly clientOf: (
    timer: SimEvent,
  ) => { readonly id: string; readonly isPrompt: boolean } | undefined;
  /** Nodes whose replies reach every client in this order: the n-th of each node before the n-th of the next. */
  readonly inOrder: readonly string[];
  /** Number of observations so far. */
  readonly observations: () => number;
  /** Returns the choices that are enough to offer. */
  readonly sufficient: (choices: readonly Choice[], nowUs: number) => readonly Choice[];
  /** Returns the advances of time that are possible now. */
  readonly timeAdvances: (status: QueueState) => readonly TimeAdvance[];
  /** Called when no event can happen any more. */
  readonly finished: () => void;
}

/** The duration of a step: long enough for a history to have an order, too short for any lock to notice. */
const STEP_US = 1;

/**
 * Lets a chooser decide which event is next, once a run is {@link steer}ed. A choice is the first message of a
 * channel, the first due timer of a process, or an advance of time. Otherwise no time passes. Before that, the
 * earliest event is next.
 */
export class ChoiceQueue implements Queue {
  readonly #timed = new EventQueue();
  #context: SteeringContext | undefined;
  #pending: SimEvent[] = [];
  #nowUs = 0;
  /** The event after the watchers that are due by then. */
  #next: SimEvent | undefined;
  #chosen:
    | { readonly choice: Choice; readonly observed: number; readonly isSeen: boolean }
    | undefined;
  #isOver = false;
  readonly #channels = new ChannelNames();

  /** Steers the run from `fromUs` on. */
  steer(context: SteeringContext, fromUs: number): void {
    this.#context = context;
    this.#nowUs = fromUs;
    for (let event = this.#timed.peek(); event !== undefined; event = this.#timed.peek()) {
      this.#timed.pop();
      this.#pending.push(event);
    }
  }

  push(event: SimEvent): void {
    if (this.#context === undefined) this.#timed.push(event);
    else this.#pending.push(event);
  }

  peek(): SimEvent | undefined {
    if (this.#context === undefined) return this.#timed.peek();
    if (!this.#isOver) this.#next ??= this.#choose(this.#context);
    return this.#next === undefined ? undefined : (this.#dueWatcher(this.#next.atUs) ?? this.#next);
  }

  pop(): SimEvent | undefined {
    if (this.#context === undefined) return this.#timed.pop();
    const event = this.peek();
    if (event === undefined) return undefined;
    if (event === this.#next) {
      this.#nowUs = event.atUs;
      this.#next = undefined;
      if (event.channel !== undefined) this.#channels.arrive(event.channel);
    }
    this.#pending = this.#pending.filter((each) => each !== event);
    return event;
  }

  #choose(context: SteeringContext): SimEvent | undefined {
    this.#pending = this.#pending.filter(({ cancelled, owner }) => !cancelled && !owner?.crashed);
    const prompt = this.#promptTimer(context);
    if (prompt !== undefined) return prompt;
    this.#reportChosen(context);
    const enabled = this.#enabled(context);
    const advances = context.timeAdvances(this.#state(context, enabled.size === 0));
    if (enabled.size === 0 && advances.length === 0) return this.#end(context);
    const choices = [...Array.from(enabled.values(), ({ choice }) => choice), ...advances];
    const name = context.chooser.choose(context.sufficient(choices, this.#nowUs));
    const advance = advances.find((each) => each.name === name);
    if (advance !== undefined) return this.#take(context, advance, advanceEvent(advance));
    const chosen = enabled.get(name ?? '');
    if (chosen !== undefined) return this.#take(context, chosen.choice, chosen.event);
    this.#isOver = true;
    return undefined;
  }

  #take(
    context: SteeringContext,
    choice: Choice & Partial<Pick<TimeAdvance, 'isSeen'>>,
    event: SimEvent,
  ): SimEvent {
    this.#chosen = { choice, observed: context.observations(), isSeen: choice.isSeen ?? false };
    event.atUs = Math.max(this.#nowUs + STEP_US, event.atUs);
    return event;
  }

  #reportChosen({ chooser, observations }: SteeringContext): void {
    if (this.#chosen === undefined) return;
    const { choice, observed: before, isSeen } = this.#chosen;
    this.#chosen = undefined;
    const { name, actor } = choice;
    chooser.happened({ name, actor, isSeen: isSeen || observations() > before });
  }

  /** Returns the event that reports the end to the code that awaits the run. */
  #end({ finished }: SteeringContext): SimEvent {
    this.#isOver = true;
    const run = (): boolean => {
      finished();
      return true;
    };
    return ownEvent(this.#nowUs + STEP_US, run);
  }

  /** Returns the events that could be next, by name, in the order in which they came up. */
  #enabled(
    context: SteeringContext,
  ): Map<string, { readonly choice: Choice; readonly event: SimEvent }> {
    const enabled = new Map<string, { readonly choice: Choice; readonly event: SimEvent }>();
    for (const event of this.#pending) {
      const choice = this.#choiceOf(event, context);
      if (choice === undefined) continue;
      const before = enabled.get(choice.name)?.event;
      if (before === undefined || isSooner(event, before))
        enabled.set(choice.name, { choice, event });
    }
    return enabled;
  }

  #choiceOf(event: SimEvent, context: SteeringContext): Choice | undefined {
    const { channel, dueUs } = event;
    if (channel !== undefined)
      return this.#channels.isHeld(channel, context.inOrder)
        ? undefined
        : { name: this.#channels.nameOf(channel), actor: channel.to };
    const actor = context.clientOf(event)?.id;
    if (actor === undefined || dueUs > this.#nowUs) return undefined;
    return { name: `${actor} timer`, actor };
  }

  #timers(context: SteeringContext): readonly SimEvent[] {
    return this.#pending
      .filter((event) => event.channel === undefined && context.clientOf(event) !== undefined)
      .toSorted((a, b) => (isSooner(a, b) ? -1 : 1));
  }

  #promptTimer(context: SteeringContext): SimEvent | undefined {
    const due = this.#timers(context).filter(({ dueUs }) => dueUs <= this.#nowUs);
    const timer = due.find((event) => context.clientOf(event)?.isPrompt === true);
    if (timer !== undefined) timer.atUs = this.#nowUs + STEP_US;
    return timer;
  }

  #state(context: SteeringContext, isIdle: boolean): QueueState {
    const nowUs = this.#nowUs;
    const dueUs = this.#timers(context)[0]?.dueUs;
    const isQuiet = !this.#pending.some(isInFlight) && !(dueUs !== undefined && dueUs <= nowUs);
    return { nowUs, isIdle, isQuiet, dueUs };
  }

  /** Returns the first event that only observes, such as a watch for expired keys; it is not offered as a choice. */
  #dueWatcher(byUs: number): SimEvent | undefined {
    return this.#pending
      .filter(({ owner, channel }) => owner === undefined && channel === undefined)
      .filter(({ cancelled, atUs }) => !cancelled && atUs <= byUs)
      .toSorted((a, b) => a.atUs - b.atUs || a.seq - b.seq)[0];
  }
}

function isInFlight({ channel }: SimEvent): boolean {
  return channel !== undefined && channel.from !== channel.to;
}

/** Compares two events: messages by when they were sent, timers by when they are due. */
function isSooner(a: SimEvent, b: SimEvent): boolean {
  if (a.channel !== undefined || a.dueUs === b.dueUs) return a.seq < b.seq;
  return a.dueUs < b.dueUs;
}

function advanceEvent({ atUs, advanced }: TimeAdvance): SimEvent {
  return ownEvent(atUs, () => {
    advanced();
    return false;
  });
}

function ownEvent(atUs: number, run: () => boolean): SimEvent {
  const [owner, channel] = [undefined, undefined];
  return {
    atUs,
    rank: RANK.act,
    dueUs: atUs,
    seq: -1,
    owner,
    channel,
    cause: -1,
    run,
    cancelled: false,
  };
}
