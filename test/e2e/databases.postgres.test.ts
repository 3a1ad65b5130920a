// Does the operator look after databases and their users on the server in this process, with a real PostgreSQL?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeDatabases } from './stories/databases.ts'

describeDatabases(EmbeddedStoryServer.start)
