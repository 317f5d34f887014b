import { once } from 'node:events';
import { connect } from 'node:net';

const OK = '+OK\r\n';

/**
 * Sends one command on a connection of its own to a server on loopback, and returns the reply as it is on the wire. Rejects
 * if the server cannot be reached.
 */
export async function rawReply(
  { port, password }: { readonly port: number; readonly password?: string | undefined },
  ...command: readonly string[]
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  // The server replies to what it has read before it sees the end. A sentinel knows no QUIT.
  const logIn = password === undefined ? '' : encoded(['AUTH', password]);
  socket.end(logIn + encoded(command));
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  return password !== undefined && text.startsWith(OK) ? text.slice(OK.length) : text;
}

function encoded(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join('')}`;
}
