// Does the server in this process take the definition of DatabaseUser, and keep to its rules?
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDatabaseUser } from './database-user-story.ts'

describeDatabaseUser(EmbeddedStoryServer.start)
