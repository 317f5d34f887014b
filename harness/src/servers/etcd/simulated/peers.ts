import type { FaultyChannel } from '../../../sim/net/faulty-channel.ts';
import type { EnsembleMember } from './context.ts';
import type { Program } from './program.ts';

/** The connection to one run of another server's program. */
interface PeerChannel {
  readonly to: Program;
  readonly channel: FaultyChannel;
  isBroken: boolean;
}

/** What one run of a server sends to the others: in order, on one connection each. */
export class Peers {
  readonly others: readonly EnsembleMember[];
  readonly #program: Program;
  readonly #channels = new Map<EnsembleMember, PeerChannel>();

  constructor(program: Program) {
    const { ensemble, id } = program.machine;
    this.#program = program;
    this.others = ensemble.members.filter((member) => member.id !== id);
  }

  named(id: number): EnsembleMember | undefined {
    return this.others.find((member) => member.id === id);
  }

  toAll(label: string, run: (there: Program) => void): void {
    for (const member of this.others) this.to(member, label, run);
  }

  /** @param needsDisk false for what the other server does without its disk, even if that stalls */
  to(
    member: EnsembleMember,
    label: string,
    run: (there: Program) => void,
    needsDisk: boolean = true,
  ): void {
    // A fault that was anchored right before this message may have killed its sender.
    if (this.#program.crashed) return;
    const { kernel, name } = this.#program.machine;
    const { departUs } = this.#program;
    const peer = this.#channelTo(member);
    const more = kernel.trace.isKept ? { to: member.name } : undefined;
    // Not a `send`: drawings show what clients send.
    const cause = kernel.record(name, 'peer', label, departUs, more);
    const arrive = (): boolean => {
      kernel.begin(member.name, 'recv', label);
      run(peer.to);
      return false;
    };
    const broken = (): void => {
      peer.isBroken = true;
    };
    const owner = needsDisk ? peer.to.disk : peer.to;
    const way = 'push';
    peer.isBroken = !peer.channel.send({ way, label, departUs, owner, cause, arrive, broken });
  }

  #channelTo(member: EnsembleMember): PeerChannel {
    const known = this.#channels.get(member);
    if (known?.isBroken === false && known.to === member.program) return known;
    const { network } = this.#program.machine;
    const channel = network.channel(this.#program.machine, member);
    const made = { to: member.program, channel, isBroken: false };
    this.#channels.set(member, made);
    return made;
  }
}
