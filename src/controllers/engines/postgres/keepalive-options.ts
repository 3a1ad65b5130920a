// When does a server see that the machine of a client of ours is lost? After a minute in which nothing came from there, not after Linux' two
// hours: until then its sessions hold locks, snapshots and slots. Every version that we speak to knows these settings. Pure.

/** For the start of a session. */
export const keepaliveOptions = [
  '-c tcp_keepalives_idle=30',
  '-c tcp_keepalives_interval=10',
  '-c tcp_keepalives_count=3',
] as const
