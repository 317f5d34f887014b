/** The parts that tests of other packages use beyond the public entries. */
export { openGrpcClient } from '../src/adapters/grpc.ts';
export {
  type EtcdClient,
  EtcdReplyError,
  type Op,
  type RangeReply,
  type ReadOp,
  type Txn,
  type TxnReply,
} from '../src/port.ts';
