import type { MemoryLink, MemoryStore } from '@holdfast/core';
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
import { ClientEnv, renewalsOf, SUBJECT_CORE, type Subject, type SubjectEnv } from './subject.ts';
import type { WaitLog } from './wait-log.ts';

/** What the simulator is handed, and knows nothing of by itself. */
export interface RunParts {
  readonly faults: FaultRegistry;
  readonly clusterOf: ClusterOf;
}

/** What everybody in one run shares. */
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
  /** Of calls that do not go through the network: asked once for each, as it is made. */
  readonly delays: ((client: ClientId, label: string) => Record<Way, number>)[] = [];
  readonly violations: string[] = [];
  /** Of each hold, under which owner value it was granted. */
  readonly owners: Map<string, string> = new Map();
  readonly sometimes: Set<Sometimes> = new Set();
  /** Nothing strikes any more. */
  areFaultsOver = false;
  /** When the last address that was re-pointed leads to its own server again. */
  repointedUntilMs = 0;
  /** Whether anybody waits while nobody holds; looked after in an aftermath. */
  keyIdle: IdleKeyMonitor | undefined;
  /** Looked after until anything strikes. */
  handoverMonitor: HandoverMonitor | undefined;
  /** Looked after where somebody asks when the servers could grant a hold to another. */
  keyFreed: KeyFreedRecorder | undefined;
  /** Schedules count from when everybody is ready. */
  fromMs = 0;
  #markAllDone: () => void = () => {};
  /** Settles once no living client has anything left to do. */
  readonly allDone: Promise<void> = new Promise((resolve) => {
    this.#markAllDone = resolve;
  });

  constructor(schedule: Schedule, subject: Subject, given: RunParts, options: WorldOptions) {
    const { MemoryStore: Store } = subject.core ?? SUBJECT_CORE;
    this.schedule = schedule;
    this.subject = subject;
    this.faults = given.faults;
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
    this.cluster = given.clusterOf(this.world, schedule, subject, this);
    this.storeProcess = this.world.process('store');
    const { runtime } = this.storeProcess;
    this.store = new Store(() => runtime.now().monotonicMs);
  }

  /** What a lock on `process` finds here. */
  envOf(process: SimProcess, link: MemoryLink, waits?: WaitLog): SubjectEnv {
    const { nodes: own, openSession } = this.cluster.view(process);
    const nodes = waits === undefined ? own : own.map((node) => waits.node(node));
    return new ClientEnv(this.subject.name, { nodes, openSession, store: this.store, link });
  }

  /** By how much a call of a client to its store or the resource is late, each way. */
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

  /** What the protocol point `label` is called by this lock. */
  labelsOf(label: string): readonly string[] {
    return this.subject.labels?.[label] ?? [label];
  }

  /** Schedule time. */
  atScheduleTime(ms: number, run: () => void): void {
    this.world.at(this.fromMs + ms, run);
  }

  /** Somebody began or ended to wait, to hold, to work, or died. */
  clientChanged(): void {
    this.injections.update();
    this.keyIdle?.update();
    this.handoverMonitor?.update();
    if (!this.sometimes.has('contended acquire') && this.isContended())
      this.sometimes.add('contended acquire');
    for (const { isDone } of this.clients.values()) if (!isDone) return;
    this.#markAllDone();
  }

  /** Watches from here on when the servers could grant each hold to another; returns what has it look. */
  recordKeyFreed(): () => void {
    const frees = new KeyFreedRecorder(this);
    this.keyFreed = frees;
    return () => frees.check();
  }

  /** Somebody was granted the key: by how many votes, where there are several nodes? */
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

  /** Whether one client holds while another waits, nobody of `except` counting as waiting. */
  isContended(except: readonly ClientId[] = []): boolean {
    for (const holder of this.clients.values()) {
      if (holder.holding <= 0 || !holder.isAlive) continue;
      for (const other of this.clients.values())
        if (other !== holder && other.waiting > 0 && other.isAlive && !except.includes(other.id))
          return true;
    }
    return false;
  }

  /** Whether this very client holds while another waits. */
  isContendedHolder(id: ClientId): boolean {
    const others = [...this.clients.values()].filter((other) => other.id !== id && other.isAlive);
    return (this.clients.get(id)?.holding ?? 0) > 0 && others.some(({ waiting }) => waiting > 0);
  }

  /** Whether this client is about to get the key, which others hold or want too. */
  isContendedWaiter(id: ClientId): boolean {
    const others = [...this.clients.values()].filter((other) => other.id !== id && other.isAlive);
    return (
      (this.clients.get(id)?.waiting ?? 0) > 0 &&
      others.some(({ waiting, holding }) => waiting + holding > 0)
    );
  }
}
