// With which settings is a server started on a copy of its files? With ours alone: what the copied server was told may load libraries, run
// programs and follow others. It keeps to itself: no network, nobody but who gets to its folder, and nothing of its own accord. Pure.

/** Of the socket's name; nobody listens at it. */
export const wokenPort = 5432

/** `serverVersion`: major. `areKept`: what is written is to be safe on the disk. */
export function wokenSettings(serverVersion: number, areKept: boolean): string {
  const safely = areKept ? 'on' : 'off'
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: '',
    port: String(wokenPort),
    // In the data folder, which is its user's alone.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    ssl: 'off',
    hot_standby: 'off',
    shared_preload_libraries: '',
    session_preload_libraries: '',
    local_preload_libraries: '',
    jit: 'off',
    // Subscriptions that were copied would go on where the server is.
    max_logical_replication_workers: '0',
    max_wal_senders: '0',
    max_worker_processes: '0',
    max_connections: '20',
    // Those of the copied server have to have room.
    max_prepared_transactions: '500',
    autovacuum: 'off',
    fsync: safely,
    full_page_writes: safely,
    shared_buffers: '64MB',
    // Containers have little of the machine's shared memory.
    dynamic_shared_memory_type: 'mmap',
    ignore_checksum_failure: 'off',
    zero_damaged_pages: 'off',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_destination: 'stderr',
    logging_collector: 'off',
    lc_messages: 'C',
    // Triggers at a login are run as who logs in, and came with version 17.
    ...(serverVersion >= 17 ? { event_triggers: 'off' } : {}),
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('')
}

/** Whoever gets to the socket, whose folder is its user's alone, may be whom he says. */
export const wokenHba = 'local all all trust\n'
