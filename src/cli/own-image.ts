// Default image of this program. Invariant: no registry serves it, so a cluster runs only an image that its
// administrator built and loaded. docs/decisions/0012-a-release-has-a-scope.md.
import { packageVersion } from './package-folder.ts'

/** Returns `localhost/konverge:<version>`, the form of a local image without a registry. */
export function ownImage(): string {
  return `localhost/konverge:${packageVersion()}`
}
