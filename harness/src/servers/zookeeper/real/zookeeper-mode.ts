import { connect } from 'node:net';

export type ZooKeeperMode = 'standalone' | 'leader' | 'follower';

/** What a server on loopback says of itself; undefined while it does not serve, or does not answer. */
export async function zooKeeperMode(port: number): Promise<ZooKeeperMode | undefined> {
  const mode = /^Mode: (\w+)$/m.exec(await fourLetters(port, 'srvr'))?.[1];
  return mode === 'standalone' || mode === 'leader' || mode === 'follower' ? mode : undefined;
}

/** The answer to one of ZooKeeper's four-letter words; empty without one. */
export function fourLetters(port: number, word: string): Promise<string> {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(word));
    const finish = (): void => {
      socket.destroy();
      done(answer);
    };
    // A connection accepted before the server serves is never answered: ask again soon rather than wait.
    socket.setTimeout(250, finish);
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.once('error', finish);
    socket.once('end', finish);
  });
}
