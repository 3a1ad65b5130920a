// Does the server in this process take the definition of Backup, and keep to its rules?
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeBackup } from './backup-story.ts'

describeBackup(EmbeddedStoryServer.start)
