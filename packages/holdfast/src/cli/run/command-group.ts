import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The processes of a command: those of its session, and so also jobs that a shell put into process groups of their own.
 * Where there is no /proc, those of its process group. A process that begins a session of its own is not among them.
 */
export class CommandGroup {
  /** The pid of the command, which is the id of its session and of its first group. */
  readonly #pid: number;
  /** The start of the command: another process with its pid would have another one. */
  readonly #startedAt: string | undefined;
  /** Processes that were seen alive: as long as one of them is, nobody else needs to be looked for. */
  #seen: readonly number[] = [];

  constructor(pid: number, startedAt: string | undefined = statOf(pid)?.startedAt) {
    this.#pid = pid;
    this.#startedAt = startedAt;
    this.#seen = [pid];
  }

  /** Sends a signal to all of them; none may be left. */
  signal(name: NodeJS.Signals): void {
    if (this.#isReplaced) return;
    send(this.#pid, name);
    const groups = new Set(this.#living().map(({ group }) => group));
    groups.delete(this.#pid);
    for (const group of groups) send(group, name);
  }

  /** True if none of them is alive. A zombie is not alive, whoever has to reap it. */
  get isOver(): boolean {
    if (this.#isReplaced) return true;
    if (this.#seen.some((pid) => this.#isOurs(statOf(pid)))) return false;
    const living = this.#living();
    this.#seen = living.map(({ pid }) => pid);
    if (living.length > 0) return false;
    const signalled = send(this.#pid, 0);
    // Only zombies are left, or processes of another user, which /proc may hide.
    return signalled === 'gone' || (signalled === 'sent' && hasProc());
  }

  /** Resolves when none of them is alive. No event reports the end of a process that others have forked. */
  async over(): Promise<void> {
    for (let ms = POLL_MS_MIN; !this.isOver; ms = Math.min(POLL_MS_MAX, ms * 2)) await pause(ms);
  }

  /** True if the pid of the command is that of another process by now. */
  get #isReplaced(): boolean {
    const stat = statOf(this.#pid);
    return stat !== undefined && stat.startedAt !== this.#startedAt;
  }

  #living(): readonly Stat[] {
    return allPids().flatMap((pid) => {
      const stat = statOf(pid);
      return this.#isOurs(stat) ? [stat] : [];
    });
  }

  #isOurs(stat: Stat | undefined): stat is Stat {
    return stat?.session === this.#pid && isAlive(stat);
  }
}

const POLL_MS_MIN = 5;
const POLL_MS_MAX = 320;

/** A line of /proc, as far as it is needed. */
interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  readonly startedAt: string;
}

/** Reads a process; undefined if there is none, or no /proc. */
function statOf(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name before may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group, session] = fields;
  const startedAt = fields[STARTED_AT] ?? '';
  return { pid, state, group: Number(group), session: Number(session), startedAt };
}

/** Counted from the state, which is the third field. */
const STARTED_AT = 22 - 3;

/** A process whose first thread has ended looks like a zombie while its other threads run. */
function isAlive({ pid, state }: Stat): boolean {
  if (state === 'X') return false;
  return state !== 'Z' || entriesOf(`/proc/${pid}/task`).length > 1;
}

function allPids(): readonly number[] {
  return entriesOf('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function hasProc(): boolean {
  return statOf(process.pid) !== undefined;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Signals a process group; 0 only looks whether it exists. */
function send(group: number, name: NodeJS.Signals | 0): 'sent' | 'gone' | 'forbidden' {
  try {
    process.kill(-group, name);
    return 'sent';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ESRCH' ? 'gone' : 'forbidden';
  }
}
