import type { Clock } from './clock.ts';
import { OptionError } from './errors.ts';

/** The host and port at which a server listens for clients. */
export interface Address {
  /** A name or an IP address, IPv6 without brackets. */
  readonly host: string;
  /** Default 2181. */
  readonly port?: number | undefined;
}

export interface Server {
  readonly host: string;
  readonly port: number;
  /** `host:port`, for people. */
  readonly name: string;
}

/** One address behind a server's name. */
export interface ServerAddress extends Server {
  /** An IP address; equal to `host` if that is one. */
  readonly address: string;
}

const PORT = 2181;
/** `host`, `host:port`, `[v6]`, `[v6]:port`, or a bare v6 address. */
const TEXT =
  /^(?:\[(?<bracketed>[^\]]+)\]|(?<host>[^:[\]]+)|(?<bare>[^[\]]*:[^[\]]*:[^[\]]*))(?::(?<port>\d+))?$/;

/** Checks servers and drops duplicates; throws {@link OptionError}. */
export function checkedServers(servers: readonly (Address | string)[]): readonly Server[] {
  if (!Array.isArray(servers) || servers.length === 0) {
    throw new OptionError('servers must be a list of at least one');
  }
  const checked = servers.map((server: Address | string) => serverOf(server));
  return [...new Map(checked.map((server) => [server.name, server])).values()];
}

export function serverAddress(server: Server, address: string): ServerAddress {
  if (address === server.host) return { ...server, address };
  return { ...server, address, name: `${server.name} (${address})` };
}

/** Shuffles, so that the clients of an ensemble spread over its servers. */
export function shuffled<T>(items: readonly T[], clock: Clock): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(clock.random() * (i + 1));
    const [a, b] = [all[i], all[j]];
    if (a !== undefined && b !== undefined) [all[i], all[j]] = [b, a];
  }
  return all;
}

function serverOf(server: Address | string): Server {
  const { host, port = PORT } = typeof server === 'string' ? parsed(server) : server;
  // The text is not quoted: it may be a URL with a password.
  if (typeof host !== 'string' || !/^[^\s/@[\]]+$/.test(host)) {
    throw new OptionError('a server is written host:port or [IPv6]:port');
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new OptionError(`the port of server ${host} must be within 1 and 65535, not ${port}`);
  }
  return { host, port, name: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}` };
}

function parsed(text: string): Address {
  const { bracketed, host, bare, port } = TEXT.exec(text)?.groups ?? {};
  return { host: bracketed ?? host ?? bare ?? '', port: port === undefined ? PORT : Number(port) };
}
