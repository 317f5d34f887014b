/** What Redis 7.0 has and the simulator leaves out. */
const NAMES = `
  acl asking auth bgrewriteaof bgsave bitcount bitfield bitfield_ro bitop bitpos blmove blmpop
  blpop brpop brpoplpush bzmpop bzpopmax bzpopmin cluster command config copy debug discard
  dump exec failover fcall fcall_ro function geoadd geodist geohash geopos georadius
  georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore getbit getex
  getrange hincrbyfloat hrandfield hscan incrbyfloat lastsave latency lcs linsert lmove lmpop
  lolwut lpos memory migrate module monitor move msetnx multi object pfadd pfcount pfdebug
  pfmerge pfselftest psubscribe psync pubsub punsubscribe quit randomkey readonly readwrite
  replconf replicaof reset restore restore-asking rpoplpush save sdiff sdiffstore setbit
  setrange shutdown sinter sintercard sinterstore slaveof slowlog smove sort sort_ro spop
  srandmember sscan substr sunion sunionstore swapdb sync touch unwatch watch xack xadd
  xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid
  xtrim zdiff zdiffstore zinter zintercard zinterstore zlexcount zmpop zmscore zrandmember
  zrangebylex zrangestore zremrangebylex zrevrangebylex zscan zunion zunionstore
`;

export const MISSING_COMMANDS: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));
