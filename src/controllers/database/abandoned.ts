// Abandonment: a user lets a resource go without its external resources. On a Database, DatabaseUser, Backup or Migration the annotation
// leaves them all as they are when the resource is deleted.
export { abandonAnnotation, isAbandoned } from '../../index.ts'
