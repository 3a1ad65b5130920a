// Databases and DatabaseUsers on a real PostgreSQL, with the embedded API server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeDatabases } from './stories/databases.ts'

describeDatabases(EmbeddedStoryServer.start)
