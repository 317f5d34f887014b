import { type Section, section } from '../section.ts';
import { measureZooKeeper, type ZooKeeperFigures, zooKeeperText } from './figures.ts';

/** Our ZooKeeper client against npm `zookeeper`, and the round trips of a lock. */
export const zookeeper: Section = section<ZooKeeperFigures | undefined>({
  name: 'zookeeper',
  measure: ({ rounds, tell }) => measureZooKeeper(rounds, tell),
  text: zooKeeperText,
});
