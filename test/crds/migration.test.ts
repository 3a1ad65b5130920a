// Does the server in this process take the definition of Migration, and keep to its rules?
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeMigration } from './migration-story.ts'

describeMigration(EmbeddedStoryServer.start)
