// Does the server in this process take the definition of Database, and keep to its rules?
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDatabase } from './database-story.ts'

describeDatabase(EmbeddedStoryServer.start)
