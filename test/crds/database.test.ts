// The CRD of Database and its rules on the embedded API server.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDatabase } from './database-story.ts'

describeDatabase(EmbeddedStoryServer.start)
