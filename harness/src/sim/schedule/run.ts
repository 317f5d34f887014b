import type { MemoryLink, MemoryStore } from '@holdfast/core/backend';
import { HoldLog } from '../hold-log.ts';
import type { SimProcess } from '../process.ts';
import { Recorder } from '../recorder.ts';
import { World, type WorldOptions } from '../world.ts';
import type { Cluster, ClusterOf, Member } from './cluster.ts';
import type { FaultRegistry } from './fault.ts';
import type { HandoverMonitor } from './handover-monitor.ts';
import { attemptOf } from './holds.ts';
import type { IdleKeyMonitor } from './idle-key-monitor.ts';
import { InjectionLog } from './injections.ts';
import { KeyFreedRecorder } from './key-freed.ts';
import { Resource } from './resource.ts';
import type { ClientId, Schedule, Way } from './schedule.ts';
import type { ScheduledClient } from './scheduled-client.ts';
import type { Sometimes } from './sometimes.ts';
import { ClientEnv, renewalsOf, SUBJECT_CORE, type Subject } from './subject.ts';
import type { WaitLog } from './wait-log.ts';

/** The faults and servers that the simulator is given, since it knows none itself. */
export interface RunParts {
  readonly faults: FaultRegistry;
  readonly clusterOf: ClusterOf;
}

/** The state that all parts of one run share. */
export class Run {
  readonly schedule: Schedule;
  readonly subject: Subject;
  readonly faults: FaultRegistry;
  readonly world: World;
  readonly recorder: Recorder;
  readonly resource: Resource;
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
  readonly injections: InjectionLog;
  readonly cluster: Cluster;
  readonly clients: Map<ClientId, ScheduledClient> = new Map();
  /** Delays of calls that do not go through the network; each is called once per call, as it is made. */
  readonly delays: ((client: ClientId, label: string) => Record<Way, number>)[] = [];
  readonly violations: string[] = [];
  /** The owner value of each granted hold. */
  readonly owners: Map<string, string> = new Map();
  readonly sometimes: Set<Sometimes> = new Set();
  /** True once no more faults are injected. */
  areFaultsOver = false;
  /** The time from which all re-pointed addresses lead to their own servers again. */
  repointedUntilMs = 0;
  /** Watches in an aftermath whether a client waits while none holds. */
  keyIdle: IdleKeyMonitor | undefined;
  /** Watches handovers until a fault is injected. */
  handoverMonitor: HandoverMonitor | undefined;
  /** Set if the run records when the servers could grant a hold to another client. */
  keyFreed: KeyFreedRecorder | undefined;
  /** The start of schedule time: all clients are ready. */
  fromMs = 0;
  #markAllDone: () => void = () => {};
  /** Settles once no living client has an operation left. */
  readonly allDone: Promise<void> = new Promise((resolve) => {
    this.#markAllDone = resolve;
  });

  constructor(schedule: Schedule, subject: Subject, parts: RunParts, options: WorldOptions) {
    const { MemoryStore: Store } = subject.core ?? SUBJECT_CORE;
    this.schedule = schedule;
    this.subject = subject;
    this.faults = parts.faults;
    this.world = new World(options);
    this.recorder = new Recorder(this.world);
    this.resource = new Resource(this.recorder);
    this.injections = new InjectionLog(() => this.world.nowMs);
    this.storeLog = new HoldLog({
      nowMs: () => this.world.nowMs,
      renewals: renewalsOf(subject),
      holdOf: (owner) => owner,
      attemptOf,
    });
    this.cluster = parts.clusterOf(this.world, schedule, subject, this);
    this.storeProcess = this.world.process('store');
    const { runtime } = this.storeProcess;
    this.store = new Store(() => runtime.now().monotonicMs);
  }

  /** Returns the surroundings of a lock on `process`. */
  envOf(process: SimProcess, link: MemoryLink, waits?: WaitLog): ClientEnv {
    const own = this.cluster.view(process);
    const view = waits === undefined ? own : waits.view(own);
    return new ClientEnv(this.subject.name, view, { store: this.store, link });
  }

  /** Returns the delay of a client's call to its store or the resource, each way. */
  callDelays(client: ClientId, label: string): Record<Way, number> {
    const sum = { request: 0, reply: 0 };
    for (const delay of this.delays) {
      const late = delay(client, label);
      sum.request += late.request;
      sum.reply += late.reply;
    }
    return sum;
  }

  server(name: string): Member | undefined {
    return this.cluster.members.find((member) => member.name === name);
  }

  /** Returns this lock's labels for the protocol point `label`. */
  labelsOf(label: string): readonly string[] {
    return this.subject.labels?.[label] ?? [label];
  }

  /** Runs a callback at a time of the schedule. */
  atScheduleTime(ms: number, run: () => void): void {
    this.world.at(this.fromMs + ms, run);
  }

  /** Called when a client begins or ends to wait, to hold or to work, or crashes. */
  clientChanged(): void {
    this.injections.update();
    this.keyIdle?.update();
    this.handoverMonitor?.update();
    if (!this.sometimes.has('contended acquire') && this.isContended())
      this.sometimes.add('contended acquire');
    for (const { isDone } of this.clients.values()) if (!isDone) return;
    this.#markAllDone();
  }

  /**
   * Watches from here on when the servers could grant each hold to another client; returns the function that checks.
   */
  recordKeyFreed(): () => void {
    const recorder = new KeyFreedRecorder(this);
    this.keyFreed = recorder;
    return () => recorder.check();
  }

  /** Records a grant; with several nodes, also whether exactly a quorum voted for it. */
  recordGrant(hold: string, owner: string): void {
    const nodes = Math.min(this.subject.nodes, this.schedule.nodes);
    this.owners.set(hold, owner);
    this.keyFreed?.watch(hold, owner);
    if (nodes < 2 || this.sometimes.has('exactly a quorum')) return;
    if (this.cluster.holds(owner).votes === Math.floor(nodes / 2) + 1)
      this.sometimes.add('exactly a quorum');
  }

  reportViolation(text: string): void {
    this.violations.push(text);
  }

  /** True if one client holds while another waits; clients of `except` do not count as waiting. */
  isContended(except: readonly ClientId[] = []): boolean {
    for (const holder of this.clients.values()) {
      if (holder.holding <= 0 || !holder.isAlive) continue;
      for (const other of this.clients.values())
        if (other !== holder && other.waiting > 0 && other.isAlive && !except.includes(other.id))
          return true;
    }
    return false;
  }

  /** True if this client holds while another waits. */
  isContendedHolder(id: ClientId): boolean {
    const others = [...this.clients.values()].filter((other) => other.id !== id && other.isAlive);
    return (this.clients.get(id)?.holding ?? 0) > 0 && others.some(({ waiting }) => waiting > 0);
  }

  /** True if this client waits for the key, and others hold it or wait for it. */
  isContendedWaiter(id: ClientId): boolean {
    const others = [...this.clients.values()].filter((other) => other.id !== id && other.isAlive);
    return (
      (this.clients.get(id)?.waiting ?? 0) > 0 &&
      others.some(({ waiting, holding }) => waiting + holding > 0)
    );
  }
}
