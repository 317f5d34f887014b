import { SLOTS, slotOf } from '@holdfast/redis/links';
import type { EngineReply } from './reply.ts';
import { SIM_PORT } from './sentinel.ts';

/** A node's view of the slots of its cluster, of which only the first range ever moves, and as a whole. */
export interface SlotView {
  /** The name of the master that owns the moving range, and that of its replica. */
  owner: string;
  replica: string | undefined;
  /** The range is on its way to this node; keys that are not here any more may be there. */
  migratingTo: string | undefined;
  /** The range is on its way to this node itself. */
  isImporting: boolean;
  /** The node has lost the majority of masters, and refuses all keys. */
  isDown: boolean;
}

/** The slots from here on stay with the second master. */
const MOVING_SLOTS = 16_000;
const OTHER_OWNER = 'n2';

/** Decides, as a node of a cluster does, if it executes a command itself. */
export class SlotGuard {
  readonly #name: string;
  readonly view: SlotView;

  constructor(name: string, view: SlotView) {
    this.#name = name;
    this.view = view;
  }

  /** The reply of the node in place of executing a command; undefined if it executes it. */
  replyTo(
    args: readonly string[],
    { asking, exists }: { readonly asking: boolean; readonly exists: (key: string) => boolean },
  ): EngineReply | undefined {
    if (args[0] === 'CLUSTER') return this.#slots();
    const keys = keysOf(args);
    const [first] = keys;
    if (first === undefined) return undefined;
    const slot = slotOf(first);
    if (keys.some((key) => slotOf(key) !== slot))
      return { error: "CROSSSLOT Keys in request don't hash to the same slot" };
    if (this.view.isDown) return { error: 'CLUSTERDOWN The cluster is down' };
    const missing = keys.filter((key) => !exists(key)).length;
    return this.#whileMoving(slot, { asking, keys: keys.length, missing });
  }

  /** A shard channel has no keys that could be missing. */
  replyToChannel(channel: string): EngineReply | undefined {
    return this.#unlessOwner(slotOf(channel));
  }

  /** True for a channel whose slots are served elsewhere. */
  hasLost(channel: string): boolean {
    return this.#ownerOf(slotOf(channel)) !== this.#name;
  }

  #whileMoving(
    slot: number,
    { asking, keys, missing }: { asking: boolean; keys: number; missing: number },
  ): EngineReply | undefined {
    const { migratingTo, isImporting } = this.view;
    if (slot >= MOVING_SLOTS || (missing === 0 && !isImporting)) return this.#unlessOwner(slot);
    if (migratingTo !== undefined)
      return missing < keys ? TRY_AGAIN : { error: `ASK ${slot} ${placeOf(migratingTo)}` };
    if (isImporting && asking) return keys > 1 && missing > 0 ? TRY_AGAIN : undefined;
    return this.#unlessOwner(slot);
  }

  #unlessOwner(slot: number): EngineReply | undefined {
    const owner = this.#ownerOf(slot);
    return owner === this.#name ? undefined : { error: `MOVED ${slot} ${placeOf(owner)}` };
  }

  #ownerOf(slot: number): string {
    return slot < MOVING_SLOTS ? this.view.owner : OTHER_OWNER;
  }

  #slots(): EngineReply {
    const { owner, replica } = this.view;
    const replicas = replica === undefined ? [] : [node(replica)];
    return [
      [0, MOVING_SLOTS - 1, node(owner), ...replicas],
      [MOVING_SLOTS, SLOTS - 1, node(OTHER_OWNER)],
    ];
  }
}

const TRY_AGAIN: EngineReply = {
  error: 'TRYAGAIN Multiple keys request during rehashing of slot',
};

function placeOf(name: string): string {
  return `${name}:${SIM_PORT}`;
}

function node(name: string): EngineReply {
  return [name, SIM_PORT, `id-${name}`, []];
}

/** Commands that no key decides about. */
const KEYLESS: ReadonlySet<string> = new Set(
  'CLIENT CLUSTER COMMAND CONFIG DBSIZE ECHO HELLO INFO PING PUBLISH ROLE SCAN SCRIPT SELECT TIME WAIT'.split(
    ' ',
  ),
);
const ALL_KEYS: ReadonlySet<string> = new Set(['DEL', 'EXISTS', 'MGET', 'UNLINK']);

function keysOf([name = '', ...operands]: readonly string[]): readonly string[] {
  const command = name.toUpperCase();
  if (KEYLESS.has(command)) return [];
  if (command.startsWith('EVAL')) return operands.slice(2, 2 + Number(operands[1]));
  return ALL_KEYS.has(command) ? operands : operands.slice(0, 1);
}
