/** All proxies of a lab, in a process of their own, so that they never wait for other work. */
import type { NumberedCommand, ProxyCommand, ProxyReply } from './proxies.ts';
import { Proxy, type Target } from './proxy.ts';

const proxies = new Map<number, Proxy>();

function proxyAt(port: number): Proxy {
  const proxy = proxies.get(port);
  if (proxy === undefined) throw new Error(`there is no proxy on port ${port}`);
  return proxy;
}

async function open(target: Target): Promise<number> {
  const proxy = await Proxy.start(target);
  proxies.set(proxy.port, proxy);
  return proxy.port;
}

async function obey(order: ProxyCommand): Promise<number> {
  if (order.kind === 'open') return await open(order.target);
  const proxy = proxyAt(order.port);
  if (order.kind === 'cut') proxy.cut(order.direction, order.only);
  else if (order.kind === 'lose-replies') proxy.loseReplies(order.passes);
  else if (order.kind === 'delay') proxy.delay({ up: order.delayMs, down: order.delayMs });
  else if (order.kind === 'heal') proxy.heal(order);
  else if (order.kind === 'retarget') proxy.retarget(order.target);
  else {
    proxies.delete(order.port);
    await proxy.close();
  }
  return order.port;
}

function answer(message: ProxyReply): void {
  process.send?.(message);
}

process.on('message', ({ id, command }: NumberedCommand) => {
  obey(command).then(
    (port) => answer({ id, port }),
    (error: unknown) => answer({ id, failed: String(error) }),
  );
});
// The parent has ended, and with it all users of these proxies.
process.on('disconnect', () => process.exit());
