import { describe, expect, test } from 'vitest';
import {
  inSimulation,
  type OnStage,
  onRealServer,
  outcomeOf,
  type PortStage,
} from './port-stage.ts';

const SET = ['SET', 'k', 'v'] as const;
const SCRIPT = { name: 'answer', source: 'return 42' };

/** SET, to be undone by DEL. */
function setOr(stage: PortStage, ms: number, keepMs = 60_000): Promise<string> {
  const options = stage.options(ms);
  const undo = { args: ['DEL', 'k'], keepUntilMs: options.deadlineMs - ms + keepMs };
  return outcomeOf(stage.node.command(SET, { ...options, undo }));
}

async function served(stage: PortStage): Promise<void> {
  await stage.until(
    async () =>
      (await outcomeOf(stage.node.command(['PING'], stage.options(300)))) === 'reply "PONG"',
  );
}

type Scenario = (stage: PortStage) => Promise<readonly unknown[]>;

/** Reactions of a node to faults; those of a simulated node equal those of a real one. */
const SCENARIOS: readonly (readonly [string, Scenario, readonly unknown[]])[] = [
  [
    'a reply that comes after the deadline: the undo follows the command, and proves that it is undone',
    async (stage) => {
      await served(stage);
      stage.cut('replies');
      const outcome = setOr(stage, 200);
      await stage.until(async () => (await stage.read('k')) === 'v');
      await stage.until(async () => (await stage.read('k')) === null);
      stage.heal();
      return [await outcome];
    },
    ['doubt, undo ordered, undone'],
  ],
  [
    'a request that is held up past its deadline: undone by what is behind it',
    async (stage) => {
      await served(stage);
      stage.cut('requests');
      const outcome = setOr(stage, 100);
      const late = await outcomeOf(stage.node.command(['GET', 'k'], stage.options(150)));
      stage.heal();
      return [await outcome, late, await stage.read('k')];
    },
    ['doubt, undo ordered, undone', 'doubt, undo none, not known to be undone', null],
  ],
  [
    'a connection that is lost with its reply: undone first thing on the next one, which proves little',
    async (stage) => {
      await served(stage);
      stage.loseReplyOf('k');
      return [await setOr(stage, 5_000), await stage.read('k')];
    },
    ['doubt, undo unordered, undone', null],
  ],
  [
    'a server that stands still: in doubt at the deadline, undone when it goes on',
    async (stage) => {
      await served(stage);
      stage.freeze();
      const outcome = setOr(stage, 100);
      const second = await outcomeOf(stage.node.command(['GET', 'k'], stage.options(200)));
      stage.resume();
      return [second, (await outcome).slice(0, 'doubt, undo ordered'.length)];
    },
    ['doubt, undo none, not known to be undone', 'doubt, undo ordered'],
  ],
  [
    'a server that is gone: nothing is written; one that is back is found',
    async (stage) => {
      await served(stage);
      await stage.kill();
      let outcome = '';
      await stage.until(async () => {
        outcome = await outcomeOf(stage.node.command(['PING'], stage.options(300)));
        return outcome === 'NodeUnavailable';
      });
      await stage.restart();
      await served(stage);
      return [outcome, await outcomeOf(stage.node.command(SET, stage.options(300)))];
    },
    ['NodeUnavailable', 'reply "OK"'],
  ],
  [
    'nobody answers the dialling: unavailable at the deadline, and nothing is written',
    async (stage) => {
      stage.cut('both');
      const node = await stage.open();
      const outcome = await outcomeOf(node.command(SET, stage.options(100)));
      stage.heal();
      await served(stage);
      return [outcome, await stage.read('k')];
    },
    ['NodeUnavailable', null],
  ],
  [
    'an undo that was not to be kept for so long is not sent any more',
    async (stage) => {
      await served(stage);
      stage.cut('replies');
      const outcome = setOr(stage, 100, 100);
      const ended = await outcome;
      stage.heal();
      await served(stage);
      return [ended, await stage.read('k')];
    },
    ['doubt, undo none, not known to be undone', 'v'],
  ],
  [
    'a script that the server does not know, or does not know any more, is sent in full',
    async (stage) => {
      const run = (): Promise<string> =>
        outcomeOf(stage.node.script(SCRIPT, [], [], stage.options(2_000)));
      const first = await run();
      await stage.node.command(['SCRIPT', 'FLUSH'], stage.options(2_000));
      return [first, await run(), await run()];
    },
    ['reply 42', 'reply 42', 'reply 42'],
  ],
  [
    'an error reply is definite',
    async (stage) => {
      await outcomeOf(stage.node.command(SET, stage.options(2_000)));
      return [await outcomeOf(stage.node.command(['INCR', 'k'], stage.options(2_000)))];
    },
    ['error ERR'],
  ],
  [
    'a subscriber hears messages, and of a gap when its connection was lost and when it is live again',
    async (stage) => {
      const heard: string[] = [];
      await stage.node.subscribe('c', ({ kind }) => heard.push(kind));
      const publish = (): Promise<string> =>
        outcomeOf(stage.node.command(['PUBLISH', 'c', 'x'], stage.options(300)));
      await publish();
      await stage.until(() => heard.length === 1);
      stage.breakConnections();
      await stage.until(() => heard.length === 3);
      await stage.until(async () => (await publish()) === 'reply 1');
      await stage.until(() => heard.length === 4);
      return heard;
    },
    ['message', 'gap', 'gap', 'message'],
  ],
  [
    'a silent connection is given up, and the next one serves',
    async (stage) => {
      await served(stage);
      stage.cut('replies');
      const outcome = await outcomeOf(stage.node.command(['GET', 'k'], stage.options(100)));
      await stage.until(
        async () =>
          (await outcomeOf(stage.node.command(['PING'], stage.options(50)))) === 'NodeUnavailable',
      );
      stage.heal();
      await served(stage);
      return [outcome];
    },
    ['doubt, undo none, not known to be undone'],
  ],
];

const STAGES: readonly (readonly [string, OnStage])[] = [
  ['in the simulator', inSimulation],
  ['through ioredis', onRealServer('ioredis')],
  ['through redis', onRealServer('redis')],
];

describe.each(STAGES)('a node %s', (_name, onStage) => {
  test.each(SCENARIOS)('%s', async (_what, scenario, expected) => {
    await onStage(async (stage) => expect(await scenario(stage)).toEqual(expected));
  });
});
