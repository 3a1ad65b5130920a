// TCP keepalive settings of the server for the operator's sessions. A lost client is detected after one minute without
// a packet, not after the Linux default of two hours. Until then its sessions hold locks, snapshots and slots. All
// supported versions know these settings. Pure.

/** Options for the start of a session. */
export const keepaliveOptions = [
  '-c tcp_keepalives_idle=30',
  '-c tcp_keepalives_interval=10',
  '-c tcp_keepalives_count=3',
] as const
