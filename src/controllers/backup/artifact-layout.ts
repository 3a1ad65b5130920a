// Layout of backups in a store. Each backup has its own folder, named after its Database and its scheduled time.
// Invariant: two backups never share a file. Pure.

export interface BackupPlace {
  readonly namespace: string
  /** The Database's name. */
  readonly database: string
  readonly databaseUid: string
  /** Scheduled time of the backup, or its creation time without a schedule. Milliseconds since the epoch. */
  readonly slotMs: number
  readonly backupUid: string
}

/** Folder of a backup: `shop/crm/<uid of the Database>/2026-03-29T0230Z-<uid of the Backup>/` */
export function backupFolder({ namespace, database, databaseUid, slotMs, backupUid }: BackupPlace): string {
  return `${databaseFolder({ namespace, database, databaseUid })}${slotText(slotMs)}-${backupUid}/`
}

/** Folder of all backups of one Database. */
export function databaseFolder({
  namespace,
  database,
  databaseUid,
}: Pick<BackupPlace, 'namespace' | 'database' | 'databaseUid'>): string {
  return `${namespace}/${database}/${databaseUid}/`
}

/** Key of the manifest. The worker writes it last: a folder without a manifest is no backup. */
export function manifestKey(folder: string): string {
  return `${folder}manifest.json`
}

/** Data file of one attempt. Each attempt has its own file, so two concurrent workers never write to the same one. */
export function dataFile(attempt: string): string {
  return `data-${attempt}.dump`
}

/** Data file of one attempt of a physical backup: the copy of a whole server. */
export function copyFile(attempt: string): string {
  return `copy-${attempt}.tar`
}

/**
 * UTC time to the minute, sortable: `2026-03-29T0230Z`. It has no colons, because some file systems reject them in
 * names.
 */
function slotText(slotMs: number): string {
  return `${new Date(slotMs).toISOString().slice(0, '2026-03-29T02:30'.length).replace(':', '')}Z`
}
