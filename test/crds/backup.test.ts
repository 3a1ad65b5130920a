// The CRD of Backup and its rules on the embedded API server.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeBackup } from './backup-story.ts'

describeBackup(EmbeddedStoryServer.start)
