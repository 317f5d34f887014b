/** All proxies of a lab, in a process of their own, so that they never wait for other work. */
import type { NumberedCommand, ProxyCommand, ProxyReply } from './proxies.ts';
import { Proxy, type ProxyTarget } from './proxy.ts';

const proxies = new Map<number, Proxy>();

function proxyAt(port: number): Proxy {
  const proxy = proxies.get(port);
  if (proxy === undefined) throw new Error(`no proxy listens on port ${port}`);
  return proxy;
}

async function open(target: ProxyTarget): Promise<number> {
  const proxy = await Proxy.start(target);
  proxies.set(proxy.port, proxy);
  return proxy.port;
}

async function execute(command: ProxyCommand): Promise<number> {
  if (command.kind === 'open') return await open(command.target);
  const proxy = proxyAt(command.port);
  if (command.kind === 'cut') proxy.cut(command.direction, command.only);
  else if (command.kind === 'lose-replies') proxy.loseReplies(command.passes);
  else if (command.kind === 'delay') proxy.delay({ up: command.delayMs, down: command.delayMs });
  else if (command.kind === 'heal') proxy.heal(command);
  else if (command.kind === 'retarget') proxy.retarget(command.target);
  else {
    proxies.delete(command.port);
    await proxy.close();
  }
  return command.port;
}

function send(message: ProxyReply): void {
  process.send?.(message);
}

process.on('message', ({ id, command }: NumberedCommand) => {
  execute(command).then(
    (port) => send({ id, port }),
    (error: unknown) => send({ id, failed: String(error) }),
  );
});
// The parent has ended, and with it all users of these proxies.
process.on('disconnect', () => process.exit());
