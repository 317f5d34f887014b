import { digestOf, type Link, type LinkEvents, type OutgoingCommand } from '@holdfast/redis/links';
import { NodeReplyError, type Reply, type Script } from '@holdfast/redis/port';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { describeCommand } from './describe.ts';
import type { EngineReply, ErrorReply } from './reply.ts';
import type { ServerRun } from './server-run.ts';

/** A simulated program that speaks the Redis protocol: a server, or a sentinel. */
export interface LinkServer extends Endpoint {
  readonly program: Pick<ServerRun, 'serve' | 'subscribe' | 'unsubscribe'>;
}

export interface SimLinkParts {
  readonly process: SimProcess;
  readonly server: LinkServer;
  /** Registers the connection. */
  readonly dialled: Set<Connection> | undefined;
  readonly network: Network;
  readonly labels: Labels;
  readonly events: LinkEvents;
}

/** One simulated connection to a simulated server, in place of a client library's. */
export class SimLink implements Link {
  readonly #server: LinkServer;
  readonly #labels: Labels;
  readonly #events: LinkEvents;
  readonly #connection: Connection;

  constructor({ process, server, dialled, network, labels, events }: SimLinkParts) {
    this.#server = server;
    this.#labels = labels;
    this.#events = events;
    this.#connection = network.connect(process, server, events);
    dialled?.add(this.#connection);
  }

  send(message: OutgoingCommand): void {
    // The caller is about to send: a stall falls between this check and the sending, which nothing can prevent.
    if (!message.markSent()) return;
    const { args } = message;
    const label = this.#labels.of(message);
    this.#connection.request(
      label,
      () =>
        this.#server.program.serve(
          this.#connection,
          label,
          args,
          (reply) => deliver(message, reply),
          message.asking,
        ),
      () => describeCommand(args),
    );
  }

  subscribe(channel: string, isSharded = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const heard = (text: string): void => this.#events.published(channel, text);
      const settle = (reply: EngineReply): void => {
        if (isError(reply)) reject(errorOf(reply));
        else resolve();
      };
      const ended = isSharded ? (): void => this.#events.unsubscribed(channel) : undefined;
      this.#connection.request(
        'SUBSCRIBE',
        () => this.#server.program.subscribe(this.#connection, channel, heard, settle, ended),
        () => channel,
      );
    });
  }

  unsubscribe(channel: string): void {
    this.#connection.request(
      'UNSUBSCRIBE',
      () => this.#server.program.unsubscribe(this.#connection, channel),
      () => channel,
    );
  }

  /** Does nothing: no connection keeps a simulated process alive. */
  keepAlive(): void {}

  close(): void {
    this.#connection.close();
  }
}

function deliver(message: OutgoingCommand, reply: EngineReply): void {
  if (isError(reply)) message.refused(reply.error);
  else message.answered(plain(reply));
}

function errorOf({ error }: ErrorReply): NodeReplyError {
  return new NodeReplyError(error.split(' ')[0] ?? '', error);
}

function isError(reply: EngineReply): reply is ErrorReply {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}

/** As the client libraries show an error within an array. */
function plain(reply: EngineReply): Reply {
  if (typeof reply !== 'object' || reply === null) return reply;
  return 'error' in reply ? reply.error : reply.map(plain);
}

/** The labels of commands in rules, anchors and traces: a script's name, `undo`, or the command. */
export class Labels {
  readonly #names = new Map<string, string>();
  readonly #learnt = new Set<Script>();

  learn(script: Script): void {
    if (this.#learnt.has(script)) return;
    this.#learnt.add(script);
    this.#names.set(digestOf(script), script.name);
    this.#names.set(script.source, script.name);
  }

  /** An undo is often a script that is also called directly; its purpose tells the two apart. */
  of({ args, isUndo }: OutgoingCommand): string {
    if (isUndo) return 'undo';
    const [command = '', script = ''] = args;
    if (command === 'EVALSHA' || command === 'EVAL') return this.#names.get(script) ?? command;
    return command.toUpperCase();
  }
}
