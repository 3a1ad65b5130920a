// Settings of a server that starts from a copy of its files. None of the copied server's settings apply, because they
// may load libraries, run programs or replicate. Invariant: no network, only local connections through its folder, no
// background activity. Pure.

/** Part of the socket's name. No port is opened. */
export const wokenPort = 5432

/** Returns the file. `serverVersion`: major version. `areKept`: writes are flushed to disk. */
export function wokenSettings(serverVersion: number, areKept: boolean): string {
  const safely = areKept ? 'on' : 'off'
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: '',
    port: String(wokenPort),
    // In the data folder, which only its user can access.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    ssl: 'off',
    hot_standby: 'off',
    shared_preload_libraries: '',
    session_preload_libraries: '',
    local_preload_libraries: '',
    jit: 'off',
    // Copied subscriptions would otherwise resume.
    max_logical_replication_workers: '0',
    max_wal_senders: '0',
    max_worker_processes: '0',
    max_connections: '20',
    // At least the value of the copied server.
    max_prepared_transactions: '500',
    autovacuum: 'off',
    fsync: safely,
    full_page_writes: safely,
    shared_buffers: '64MB',
    // Containers have little shared memory.
    dynamic_shared_memory_type: 'mmap',
    ignore_checksum_failure: 'off',
    zero_damaged_pages: 'off',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_destination: 'stderr',
    logging_collector: 'off',
    lc_messages: 'C',
    // Login event triggers would run code at each login. They exist since version 17.
    ...(serverVersion >= 17 ? { event_triggers: 'off' } : {}),
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('')
}

/** Any client that reaches the socket may use any role. Only the server's user can access its folder. */
export const wokenHba = 'local all all trust\n'
