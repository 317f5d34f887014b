import { type Section, section } from '../section.ts';
import { measureZooKeeper, type ZooKeeperFigures, zooKeeperText } from './figures.ts';

/** Each runs two clients against one server and against three. */
const ROUNDS_MAX = 5;

/** Our ZooKeeper client against npm `zookeeper`, and the round trips of a lock. */
export const zookeeper: Section = section<ZooKeeperFigures | undefined>({
  name: 'zookeeper',
  measure: ({ rounds, tell }) => measureZooKeeper(Math.min(rounds, ROUNDS_MAX), tell),
  text: zooKeeperText,
});
