// Where in a store is a backup? In a folder of its own, under its database and its moment, so that a person finds it and two backups never
// share a file. Pure.

export interface BackupPlace {
  readonly namespace: string
  /** The Database's name. */
  readonly database: string
  readonly databaseUid: string
  /** The moment that it is for: its slot, or when it was asked for. Milliseconds since the epoch. */
  readonly slotMs: number
  readonly backupUid: string
}

/** `shop/crm/<uid of the Database>/2026-03-29T0230Z-<uid of the Backup>/` */
export function backupFolder({ namespace, database, databaseUid, slotMs, backupUid }: BackupPlace): string {
  return `${databaseFolder({ namespace, database, databaseUid })}${slotText(slotMs)}-${backupUid}/`
}

/** All backups of one Database. */
export function databaseFolder({
  namespace,
  database,
  databaseUid,
}: Pick<BackupPlace, 'namespace' | 'database' | 'databaseUid'>): string {
  return `${namespace}/${database}/${databaseUid}/`
}

/** Written last: what has none is no backup. */
export function manifestKey(folder: string): string {
  return `${folder}manifest.json`
}

/** Every attempt writes a file of its own, so that two workers at once never write the same. */
export function dataFile(attempt: string): string {
  return `data-${attempt}.dump`
}

/** As `dataFile`, of a copy of a whole server. */
export function copyFile(attempt: string): string {
  return `copy-${attempt}.tar`
}

/** To the minute, in UTC, and sorted by time: `2026-03-29T0230Z`. No colons, as they are not welcome in files' names everywhere. */
function slotText(slotMs: number): string {
  return `${new Date(slotMs).toISOString().slice(0, '2026-03-29T02:30'.length).replace(':', '')}Z`
}
