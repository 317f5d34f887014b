import type { Change } from '../mutate.ts';
import type { ScenarioName } from '../zk/scenarios.ts';

/** A ZooKeeper recipe with one thing wrong, tried by one play. */
export interface ZkMutant extends Omit<Change, 'package'> {
  readonly why: string;
  readonly scenario: ScenarioName;
  readonly detectedBy: RegExp;
}

const ASKS_LEADER = `    this.#recordReply(await this.#session.sync(this.#store.layout.locks));
  }

  /** Syncs first if too little would be left by the time of the reply: a write for nothing takes longer. */
`;
const PROVES_BY_WRITING = `  async #write(): Promise<Validity> {
    const leftMs = this.#provableMs() - this.#roundTripMs;
    if (!isLasting(leftMs, this.#session.timeoutMs)) await this.syncWithLeader();
    const { sentAt, validity } = await this.proveBy(() => this.#writeSessionNode());
`;

/** Mistakes in queues of ephemeral nodes. Three are tried on real servers, too: `zk-ensemble.test.ts`, `zk-blocked-holder.test.ts`, `zk-leader-stop.test.ts`. */
export const ZK_MUTANTS: readonly ZkMutant[] = [
  {
    name: 'watches-the-holder',
    file: 'queue.ts',
    find: '  const predecessor = nodes[ahead - 1];\n',
    replace: '  const predecessor = ahead === 0 ? undefined : nodes[0];\n',
    why: 'A client that watches the parent, or the holder, wakes with all others at every release: the herd effect of the recipes page.',
    scenario: 'herd',
    detectedBy: /5 of 5 waiters were woken by one release/,
  },
  {
    name: 'granted-beside-unknown-nodes',
    file: 'position-finder.ts',
    find: '    if (foreignNodes.length > 0) throw unknownNodes(key, container, foreignNodes);\n',
    replace: '',
    why: 'A container may be shared. A writer of Curator’s read-write lock holds by a node that this recipe does not know.',
    scenario: 'unknown node',
    detectedBy: /granted beside a node whose meaning is unknown/,
  },
  {
    name: 'kazoo-is-no-contender',
    file: 'queue.ts',
    find: 'const NAME = /^(.+?)(?:-lock-|__lock__)(-?\\d{9,10})$/;\n',
    replace: 'const NAME = /^(.+?)(?:-lock-)(-?\\d{9,10})$/;\n',
    why: 'kazoo’s Lock names its nodes otherwise. A client that does not count them can wait for no release of them.',
    scenario: 'neighbours',
    detectedBy: /c0ffee__lock__ was not waited for: refused/,
  },
  {
    name: 'sequence-passes-its-end',
    file: 'queue.ts',
    find: '  return sequence < 0 || sequence > INT32_MAX - END_MARGIN;\n',
    replace: '  return sequence < 0 && sequence > INT32_MAX - END_MARGIN;\n',
    why: 'Curator and kazoo compare sequences as text: the entry behind 2 147 483 647 comes first for them, and last for us.',
    scenario: 'end of the sequence',
    detectedBy: /two clients hold: ours by number, the neighbour by text/,
  },
  {
    name: 'no-session-check',
    file: 'queue-entry.ts',
    find: '    if (stat?.ephemeralOwner !== this.#session.id) return undefined;\n',
    replace: '    if (stat === undefined) return undefined;\n',
    why: 'A node of an earlier session carries the id, too, and vanishes with that session while its contender believes that it holds (CURATOR-498, -604).',
    scenario: 'dead session',
    detectedBy: /two leases are valid at once/,
  },
  {
    name: 'local-pings-as-proof',
    file: 'session-prover.ts',
    find: `${ASKS_LEADER}${PROVES_BY_WRITING}`,
    replace: `${ASKS_LEADER.replace('sync', 'read')}${PROVES_BY_WRITING.replace('this.#writeSessionNode()', 'this.#isCreated ? this.#session.read(this.#path) : this.#writeSessionNode()')}`,
    why: 'A follower that is cut from its leader keeps replying to pings and reads, while the leader ends the session.',
    scenario: 'cut follower',
    detectedBy: /two leases are valid at once/,
  },
  {
    name: 'two-thirds-alone',
    file: 'proof-of-life.ts',
    find: '  const reached = plusMs(touched, timeoutMs * TOUCH_SHARE);\n',
    replace: '  const reached = proven;\n',
    why: 'A forwarded write does not touch the session at the leader: after a pause the leader may not have heard of it for long, and ends it long before two thirds of T have passed.',
    scenario: 'cut follower, after a standstill',
    detectedBy: /two leases are valid at once/,
  },
  {
    name: 'pings-of-a-stopped-leader',
    file: 'session-prover.ts',
    find: '    return this.#leaderReplies.touched();\n',
    replace:
      '    const reportedMs = this.#host.runtime.now().monotonicMs - this.#session.timeoutMs / 4;\n    return this.#session.answeredBefore(reportedMs) ?? this.#leaderReplies.touched();\n',
    why: 'A follower reports its replies of half a tick ago to a leader that pings every half tick. A paused leader does not ping, and a proof that is forwarded to it meanwhile succeeds when it resumes, although that report may not.',
    scenario: 'cut follower, behind a paused leader',
    detectedBy: /two leases are valid at once/,
  },
];
