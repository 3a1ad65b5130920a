// The CRD of DatabaseUser and its rules on the embedded API server.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDatabaseUser } from './database-user-story.ts'

describeDatabaseUser(EmbeddedStoryServer.start)
